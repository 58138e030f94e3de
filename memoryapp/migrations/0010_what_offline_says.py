from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0009_asks_near_its_end'),
    ]

    operations = [
        # The expression of a generated column can't be changed in place.
        migrations.RemoveIndex(model_name='message', name='message_findable'),
        migrations.RemoveField(model_name='message', name='is_findable'),
        migrations.AddField(
            model_name='message',
            name='is_findable',
            field=models.GeneratedField(db_persist=True, expression=models.ExpressionWrapper(Q(is_active=True, is_on_record=True, is_recallable=True) & ~Q(role='summary') & ~Q(status='streaming') & ~Q(body='') & ~Q(receipt__contains={'is_offline': True}), output_field=models.BooleanField()), output_field=models.BooleanField()),
        ),
        migrations.AddIndex(
            model_name='message',
            index=models.Index(condition=Q(is_findable=True), fields=['user'], name='message_findable'),
        ),
    ]
