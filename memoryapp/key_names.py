"""What the commonest keys of memories are called in the language of whoever reads them."""

from django.utils.translation import gettext, gettext_noop

NAMES = frozenset(
    {
        gettext_noop("Name"),
        gettext_noop("Age"),
        gettext_noop("Birthday"),
        gettext_noop("Birthplace"),
        gettext_noop("City"),
        gettext_noop("Country"),
        gettext_noop("Nationality"),
        gettext_noop("Address"),
        gettext_noop("Timezone"),
        gettext_noop("Language"),
        gettext_noop("Occupation"),
        gettext_noop("Employer"),
        gettext_noop("Diet"),
        gettext_noop("Allergy"),
        gettext_noop("Partner"),
        gettext_noop("Wife"),
        gettext_noop("Husband"),
        gettext_noop("Sister"),
        gettext_noop("Brother"),
        gettext_noop("Mother"),
        gettext_noop("Father"),
        gettext_noop("Daughter"),
        gettext_noop("Son"),
        gettext_noop("Children"),
        gettext_noop("Dog"),
        gettext_noop("Cat"),
        gettext_noop("Dog name"),
        gettext_noop("Cat name"),
        gettext_noop("Likes"),
        gettext_noop("Dislikes"),
        gettext_noop("Avoids"),
        gettext_noop("Drinks"),
        gettext_noop("Speaks"),
        gettext_noop("Plays"),
        gettext_noop("Studies"),
        gettext_noop("Learns"),
        gettext_noop("Owns"),
        gettext_noop("Drives"),
        gettext_noop("Collects"),
        gettext_noop("Favourite drink"),
        gettext_noop("Favourite food"),
        gettext_noop("Favourite dish"),
        gettext_noop("Favourite colour"),
        gettext_noop("Favourite book"),
        gettext_noop("Favourite film"),
        gettext_noop("Favourite music"),
        gettext_noop("Answer language"),
        gettext_noop("Answer format"),
        gettext_noop("Answer length"),
        gettext_noop("Answer tone"),
        gettext_noop("Answer emojis"),
    }
)


def named(words: str) -> str:
    """The words of a key as they are read; those of a rarer one as they are kept, in English."""
    name = words[:1].upper() + words[1:]
    return gettext(name) if name in NAMES else words
