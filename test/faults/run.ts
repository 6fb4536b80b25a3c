// The long runs of kill.test.ts and due.test.ts: npm run faults -- kill COUNT | storm SECONDS | due COUNT
import { crashRun, type Report } from './crash-run.ts'
import { type DueReport, dueRun } from './due-run.ts'

const [what, amount] = process.argv.slice(2)
const most = Number(amount)
if ((what !== 'kill' && what !== 'storm' && what !== 'due') || !(most > 0)) {
  process.stderr.write(
    'Usage: npm run faults -- kill COUNT | storm SECONDS | due COUNT\n' +
      'Kills the service (kill -9) so many times, or for so long, while 50 senders stream mail in, and accounts for it;\n' +
      'or has two workers send so many messages that are due in one second, nine of ten of them of one organization.\n' +
      'The embedded database, or the server that TEST_DATABASE_URL names: node test/postgres.ts -- npm run faults -- …\n',
  )
  process.exit(2)
}

const { faults, text } = what === 'due' ? dueResult(await dueRun(most)) : crashResult(await crashes())
process.stdout.write([text, ...faults, faults.length > 0 ? 'FAULTS' : 'no fault', ''].join('\n'))
process.exitCode = faults.length > 0 ? 1 : 0

function crashes(): Promise<Report> {
  const since = performance.now()
  return crashRun((kills) => {
    if (kills > 0 && kills % 10 === 0) process.stdout.write(`${kills} kills\n`)
    return what === 'kill' ? kills < most : performance.now() - since < most * 1000
  })
}

function dueResult({ due, seconds, twice, unsent, heldBack }: DueReport): Result {
  const share = `${(heldBack * 100).toFixed(0)} %`
  return {
    text: `${due} due, sent in ${seconds.toFixed(0)} s, the last of the small organization after ${share} of all`,
    faults: [
      ...twice.map((recipient) => `sent twice: ${recipient}`),
      ...unsent.map((recipient) => `not sent: ${recipient}`),
      ...(heldBack < 0.5 ? [] : [`the small organization was held back until ${share} had gone`]),
    ].slice(0, 20),
  }
}

interface Result {
  readonly text: string
  readonly faults: readonly string[]
}

function faultsIn({ mail, labels, knownDuplicated, refused, discrepancies, complaints }: Report): string[] {
  const all = {
    'mail lost': mail.lost,
    'mail that nobody sent': mail.unexpected,
    'mail with a Message-ID stored twice': knownDuplicated,
    'mail refused': Object.entries(refused).map(([reply, times]) => `${times} × ${reply}`),
    'labels lost': labels.lost,
    'labels that nobody made': labels.unexpected,
    'labels made twice': labels.duplicated,
    discrepancies,
    'the log': complaints,
  }
  return Object.entries(all).flatMap(([name, list]) => list.slice(0, 10).map((one) => `${name}: ${one}`))
}

function crashResult(report: Report): Result {
  const { seconds, kills, mail, labels, repeated, knownDuplicated } = report
  const text = [
    `${kills} kills in ${seconds} s, 50 senders`,
    `mail: ${mail.acknowledged} copies acknowledged of ${mail.attempted}, ${mail.stored} stored, ${mail.lost.length} lost, ${mail.unexpected.length} unexpected`,
    `      ${repeated} letters sent again; there twice: ${knownDuplicated.length} with a Message-ID, ${mail.duplicated.length - knownDuplicated.length} without; there unheard: ${mail.recovered.length}`,
    `labels: ${labels.acknowledged} acknowledged, ${labels.stored} stored, ${labels.lost.length} lost, ${labels.duplicated.length} twice`,
  ]
  return { text: text.join('\n'), faults: faultsIn(report) }
}
