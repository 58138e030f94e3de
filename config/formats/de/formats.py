"""German dates: an ordinal day, and months shortened with a full stop."""

DATETIME_FORMAT = "j. F Y, H:i"
MONTH_DAY_FORMAT = "j. N"
SHORT_DATE_FORMAT = "j. N Y"
SHORT_DATETIME_FORMAT = "j. N Y, H:i"
