from django.db import migrations, models
from django.db.models import F


def mark_extracted(apps, schema_editor):
    messages = apps.get_model("memoryapp", "Message").objects
    heard = messages.filter(created_at__lte=F("chat__extracted_until"))
    messages.filter(pk__in=heard.values("pk")).update(is_extracted=True)


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="message",
            name="is_extracted",
            field=models.BooleanField(
                default=False, editable=False, help_text="Given to the extractor."
            ),
        ),
        migrations.RunPython(mark_extracted, migrations.RunPython.noop, elidable=True),
        migrations.RemoveField(model_name="chat", name="extracted_until"),
    ]
