from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0007_fact_words'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='message',
            name='is_on_record',
            field=models.BooleanField(default=True, editable=False, help_text='Off if its author asked not to remember it: known in its own chat only.'),
        ),
        # The expression of a generated column can't be changed in place.
        migrations.RemoveIndex(model_name='message', name='message_findable'),
        migrations.RemoveField(model_name='message', name='is_findable'),
        migrations.AddField(
            model_name='message',
            name='is_findable',
            field=models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(Q(is_active=True, is_on_record=True, is_recallable=True) & ~Q(role='summary') & ~Q(status='streaming') & ~Q(body=''), output_field=models.BooleanField()), output_field=models.BooleanField()),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=Q(is_findable=True), fields=['user'], name='message_findable'),
        ),
        migrations.AddIndex(
            model_name='fact',
            index=models.Index(condition=Q(valid_to__isnull=False) | Q(expires_at__isnull=False), fields=['user'], name='fact_ended'),
        ),
        migrations.AddIndex(
            model_name='memoryevent',
            index=models.Index(condition=Q(action='refused'), fields=['created_at'], name='memory_event_refused'),
        ),
    ]
