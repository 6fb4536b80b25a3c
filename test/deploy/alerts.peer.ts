// Prometheus itself checks the alert rules.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

test('Prometheus accepts the alert rules', async () => {
  await run('promtool', ['check', 'rules', join(import.meta.dirname, '../../deploy/prometheus-alerts.yaml')])
})

test('an alert fires when it should, and not otherwise', async () => {
  await run('promtool', ['test', 'rules', join(import.meta.dirname, 'prometheus-alerts.yaml')])
})
