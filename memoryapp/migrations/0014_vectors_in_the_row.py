from django.db import migrations, models

# What a pass of recall reads of each row stands in the row, so that the long texts beside it are
# what PostgreSQL keeps elsewhere. Rows of before move when they change, or by `manage.py vacuum`.
TABLES = ("fact", "message", "messagepart", "passage")
STORAGE = """
alter table memoryapp_{} alter embedding set storage {}, alter tsv set storage {}
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0013_no_pages_of_passages'),
    ]

    operations = [
        *(
            migrations.RunSQL(
                STORAGE.format(table, 'main', 'main'),
                STORAGE.format(table, 'external', 'extended'),
            )
            for table in TABLES
        ),
        migrations.RemoveIndex(
            model_name='message',
            name='message_findable',
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(
                condition=models.Q(('is_findable', True)),
                fields=['user', 'config'],
                name='message_findable',
            ),
        ),
    ]
