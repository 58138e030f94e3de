from django.db import migrations, models

# The id of an imported message is made of its owner and the id in the file, which is version 5;
# one that was said here has a random id.
KNOW_IMPORTED = """
update memoryapp_message set is_imported = true, is_extracted = false
where substring(id::text from 15 for 1) = '5' and is_extracted and receipt = '{}'
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0014_vectors_in_the_row'),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='is_imported',
            field=models.BooleanField(default=False, editable=False, help_text='Brought along in a file, and not said here.'),
        ),
        migrations.AddField(
            model_name='user',
            name='learns_imports',
            field=models.BooleanField(default=False, editable=False, help_text='Imported chats are being learned from.'),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=models.Q(('is_imported', True)), fields=['user', 'is_extracted', 'created_at'], name='message_imported'),
        ),
        migrations.RunSQL(KNOW_IMPORTED, migrations.RunSQL.noop),
    ]
