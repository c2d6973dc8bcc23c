#!/usr/bin/env python3
"""import_quiet.py SAMPLES [--issues N] [--format jira|csv] [--rollback] [--host-away]: a quiet
import under the eyes of a running host, measured; or of one that is away and comes back.

SAMPLES is a folder of Jira exports as the REST interface answers them. N issues (10,000 unless
told otherwise) are made of theirs, each with an id and a key of its own. Prints events per second,
the peak memory of both processes, and how long after its end each consumer was at the head.
RADD_BUILD_DIR names the build (default: build/release). Everything lives in a temporary folder.
"""

import argparse
import csv
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get('RADD_BUILD_DIR', 'build/release')
RADD = BUILD / 'bin' / 'radd'
PATIENCE_S = 600


def sample_issues(folder):
    """Blocks of issues that may name each other as parents, one block a file."""
    for path in sorted(folder.glob('*.json')):
        document = json.loads(path.read_text())
        yield document['issues'] if isinstance(document, dict) else document


def copies(folder, count):
    """`count` issues; of one sample, its comments and its change log have ids of their own."""
    blocks = list(sample_issues(folder))
    if not blocks:
        sys.exit(f'import_quiet: {folder} holds no *.json')
    numbers = {}
    left = count
    for copy in itertools.count():
        for block in blocks:
            keys = {}
            for issue in block[:left]:
                project = issue['key'].split('-')[0]
                numbers[project] = numbers.get(project, 0) + 1
                keys[issue['key']] = f'{project}-{numbers[project]}'
            for issue in block[:left]:
                yield renamed(json.loads(json.dumps(issue)), copy, keys)
            left -= len(keys)
            if left == 0:
                return


def renamed(issue, copy, keys):
    fields = issue['fields']
    issue['id'] = f"{issue['id']}/{copy}"
    issue['key'] = keys[issue['key']]
    parent = fields.get('parent')
    if parent:
        fields['parent'] = ({'id': f"{parent['id']}/{copy}", 'key': keys[parent['key']]}
                            if parent['key'] in keys else None)
    for comment in (fields.get('comment') or {}).get('comments', []):
        comment['id'] = f"{comment['id']}/{copy}"
    for entry in (issue.get('changelog') or {}).get('histories', []):
        entry['id'] = f"{entry['id']}/{copy}"
    return issue


def name_in(value):
    return value.get('displayName') or value.get('name') or '' if isinstance(value, dict) else ''


def write_csv(path, issues):
    """As Jira's own export: a column is repeated as often as it has values."""
    issues = list(issues)
    comments = max(len((i['fields'].get('comment') or {}).get('comments', [])) for i in issues)
    labels = max(len(i['fields'].get('labels') or []) for i in issues)
    single = ['Issue key', 'Issue id', 'Summary', 'Issue Type', 'Status', 'Priority', 'Reporter',
              'Assignee', 'Created', 'Updated', 'Description', 'Parent id']
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(single + ['Labels'] * labels + ['Comment'] * comments)
        for issue in issues:
            fields = issue['fields']
            made = (fields.get('comment') or {}).get('comments', [])
            writer.writerow(
                [issue['key'], issue['id'], fields.get('summary') or '',
                 name_in(fields.get('issuetype')), name_in(fields.get('status')),
                 name_in(fields.get('priority')), name_in(fields.get('reporter')),
                 name_in(fields.get('assignee')), fields.get('created') or '',
                 fields.get('updated') or '',
                 fields['description'] if isinstance(fields.get('description'), str) else '',
                 (fields.get('parent') or {}).get('id', '')]
                + padded(fields.get('labels') or [], labels)
                + padded([f"{c['created']};{name_in(c.get('author'))};{c['body']}"
                          for c in made if isinstance(c.get('body'), str)], comments))


def padded(cells, count):
    return cells + [''] * (count - len(cells))


def memory_mib(pid, name):
    with open(f'/proc/{pid}/status', encoding='ascii') as status:
        for line in status:
            if line.startswith(name):
                return int(line.split()[1]) / 1024
    return 0.0


def run(*words):
    """A command's JSON, its time in seconds and its peak memory in MiB."""
    started = time.monotonic()
    peak = 0.0
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([RADD, *words, '--json'], stdout=out)
        # What wait4() reports begins with the memory of this process, from before the exec.
        while child.poll() is None:
            peak = max(peak, memory_mib(child.pid, 'VmHWM'))
            time.sleep(0.02)
        took = time.monotonic() - started
        out.seek(0)
        text = out.read()
    if child.returncode != 0:
        sys.exit(f"import_quiet: radd {' '.join(words)}: exit code {child.returncode}")
    return json.loads(text), took, peak


def wait_for_head(ended):
    """Seconds from `ended` until each consumer was at the head, a start of the host included."""
    caught_up = {}
    while time.monotonic() < ended + PATIENCE_S:
        consumers, _, _ = run('consumers', 'list')
        now = time.monotonic()
        behind = [c for c in consumers if c['kind'] == 'consumer' and c['lag'] > 0]
        for consumer in consumers:
            if consumer['kind'] == 'consumer' and consumer['lag'] == 0:
                caught_up.setdefault(consumer['name'], max(0.0, now - ended))
        for consumer in behind:
            caught_up.pop(consumer['name'], None)
        if not behind:
            return caught_up
        time.sleep(0.1)
    sys.exit(f'import_quiet: not every consumer was at the head within {PATIENCE_S} s')


def start_host(home):
    log = (home / 'host.log').open('w')
    host = subprocess.Popen([RADD, 'serve'], stdout=log, stderr=log)
    end = time.monotonic() + PATIENCE_S
    while 'ready: ' not in (home / 'host.log').read_text():
        if host.poll() is not None or time.monotonic() > end:
            sys.exit('import_quiet: the host did not start:\n' + (home / 'host.log').read_text())
        time.sleep(0.1)
    return host


def stop(host):
    host.send_signal(signal.SIGTERM)
    host.wait()


def measure(arguments, home, hosts):
    path = home / f'issues.{arguments.format}'
    issues = copies(arguments.samples, arguments.issues)
    if arguments.format == 'csv':
        write_csv(path, issues)
    else:
        path.write_text(json.dumps({'issues': list(issues)}))
    print(f'file                       {path.stat().st_size / 2**20:.1f} MiB')

    if arguments.host_away:
        stop(hosts.pop())
    report, took, peak = run('import', arguments.format, str(path))
    ended = time.monotonic()
    if arguments.host_away:
        hosts.append(start_host(home))
    imported = report['created'] + report['updated']
    print(f"import                     {imported} issues, {report['comments']} comments, "
          f"{report['events']} events, {report['rejected_total']} rejected")
    print(f"events/s                   {report['events'] / took:.0f}, issues/s "
          f'{imported / took:.0f}, in {took:.1f} s')
    print(f'peak RSS of the import     {peak:.1f} MiB')
    for name, seconds in sorted(wait_for_head(ended).items()):
        print(f'at the head after          {seconds:.1f} s  {name}')
    print(f"peak RSS of the host       {memory_mib(hosts[0].pid, 'VmHWM'):.1f} MiB")

    again, took, peak = run('import', arguments.format, str(path))
    print(f"the same again             {again['unchanged']} unchanged, {again['events']} events, "
          f'in {took:.1f} s, peak RSS {peak:.1f} MiB')
    if arguments.rollback:
        undone, took, peak = run('import', 'rollback', str(report['import']))
        print(f"rollback                   {undone['items_removed']} items removed, "
              f"{undone['left_total']} left, in {took:.1f} s, peak RSS {peak:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('samples', type=pathlib.Path)
    parser.add_argument('--issues', type=int, default=10000)
    parser.add_argument('--format', choices=['jira', 'csv'], default='jira')
    parser.add_argument('--rollback', action='store_true')
    parser.add_argument('--host-away', action='store_true')
    arguments = parser.parse_args()
    home = pathlib.Path(tempfile.mkdtemp(prefix='radd-import-'))
    # PostgreSQL refuses to run as root, and whoever it runs as must reach its data.
    home.chmod(0o711)
    shutil.copytree(ROOT / 'manifests', home / 'manifests')
    os.environ.pop('RADD_DATABASE_URL', None)
    os.environ.update(RADD_DATA_DIR=str(home / 'data'),
                      RADD_MANIFESTS_DIR=str(home / 'manifests'),
                      RADD_PLUGINS_DIR=str(BUILD / 'plugins'),
                      RADD_HTTP_LISTEN='127.0.0.1:0')
    hosts = [start_host(home)]
    try:
        measure(arguments, home, hosts)
    finally:
        for host in hosts:
            stop(host)
        shutil.rmtree(home, ignore_errors=True)


if __name__ == '__main__':
    main()
