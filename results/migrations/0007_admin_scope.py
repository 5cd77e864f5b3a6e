from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('results', '0006_observations'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='apitoken',
            name='token_scope',
        ),
        migrations.AlterField(
            model_name='apitoken',
            name='scope',
            field=models.CharField(choices=[('read', 'Read'), ('submit', 'Submit'), ('worker', 'Worker'), ('admin', 'Admin')], max_length=8),
        ),
        migrations.AddConstraint(
            model_name='apitoken',
            constraint=models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'submit', 'worker', 'admin'])), name='token_scope'),
        ),
    ]
