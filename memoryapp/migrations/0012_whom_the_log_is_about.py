from django.db import migrations, models

# Entries of before take it from the fact that they are about, where that still exists.
SUBJECTS = """
update memoryapp_memoryevent event set subject = fact.subject
from memoryapp_fact fact
where event."table" = 'fact' and event.row_id = fact.id and fact.subject <> ''
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0011_writers'),
    ]

    operations = [
        migrations.AddField(
            model_name='memoryevent',
            name='subject',
            field=models.CharField(blank=True, max_length=100),
        ),
        migrations.RunSQL(SUBJECTS, migrations.RunSQL.noop),
    ]
