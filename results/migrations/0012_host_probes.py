import django.db.models.deletion
from django.db import migrations, models


def move_probes(apps, schema_editor):
    """Facts that are a whole probe become its first dated row; what may be kept of them is decided there."""
    from results.documents.probe import Probe

    HostProbe = apps.get_model("results", "HostProbe")
    for host in apps.get_model("results", "Host").objects.filter(facts__schema="northstar.probe/1"):
        probe = Probe.model_validate(host.facts)
        document = probe.model_dump(mode="json")
        HostProbe.objects.get_or_create(host=host, at=probe.at, defaults={"document": document})
        host.facts = document["host"]
        host.save(update_fields=["facts"])


class Migration(migrations.Migration):

    dependencies = [
        ('results', '0011_house'),
    ]

    operations = [
        migrations.CreateModel(
            name='HostProbe',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('document', models.JSONField()),
                ('host', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='probes', to='results.host')),
            ],
            options={
                'ordering': ['host', '-at'],
                'constraints': [models.UniqueConstraint(fields=('host', 'at'), name='host_probe_unique')],
            },
        ),
        migrations.RunPython(move_probes, migrations.RunPython.noop),
    ]
