import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memoryapp', '0015_learn_from_imports'),
    ]

    operations = [
        migrations.CreateModel(
            name='ResourceFile',
            fields=[
                ('resource', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='file', serialize=False, to='memoryapp.resource')),
                ('kind', models.CharField(max_length=10)),
                ('content', models.BinaryField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='resource',
            name='resource_name_and_body_not_empty',
        ),
        migrations.AddField(
            model_name='passage',
            name='page',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='resource',
            name='url',
            field=models.CharField(blank=True, max_length=2000, verbose_name='address'),
        ),
        migrations.AlterField(
            model_name='resource',
            name='body',
            field=models.TextField(blank=True),
        ),
        migrations.AddConstraint(
            model_name='resource',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='resource_name_not_empty'),
        ),
        migrations.AddConstraint(
            model_name='resource',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('body', ''), _negated=True), models.Q(('status', 'ready'), _negated=True), _connector='OR'), name='resource_ready_with_a_text'),
        ),
        migrations.AddConstraint(
            model_name='resource',
            constraint=models.CheckConstraint(condition=models.Q(('url', ''), ('url__regex', '^https?://'), _connector='OR'), name='resource_url_of_the_web'),
        ),
    ]
