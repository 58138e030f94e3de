from django.db import migrations, models

import memoryapp.models.fields


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0008_off_the_record'),
    ]

    operations = [
        # The expression of a generated column can't be changed in place.
        migrations.RemoveField(model_name='message', name='asks'),
        migrations.AddField(
            model_name='message',
            name='asks',
            field=models.GeneratedField(db_persist=True, expression=memoryapp.models.fields.Asks('body'), output_field=models.BooleanField()),
        ),
    ]
