from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0012_whom_the_log_is_about'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='embeddingchoice',
            name='switched_at',
        ),
        migrations.RemoveField(
            model_name='passage',
            name='page',
        ),
    ]
