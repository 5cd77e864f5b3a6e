from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('results', '0012_host_probes'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='curve',
            index=models.Index(fields=['language_model', 'scenario', 'published_at'], name='curve_place'),
        ),
    ]
