// The long runs of kill.test.ts and test/processes/storm.test.ts:
// npm run faults -- kill COUNT | storm SECONDS | roles SECONDS
import { type StormReport, storm } from '#test/processes/storm.ts'
import { crashRun, type Report } from './letters/crash-run.ts'

const [what, amount] = process.argv.slice(2)
const most = Number(amount)
if (!['kill', 'storm', 'roles'].includes(what ?? '') || !(most > 0)) {
  process.stderr.write(
    'Usage: npm run faults -- kill COUNT | storm SECONDS | roles SECONDS\n' +
      'Kills the service (kill -9) so many times, or for so long, while 50 senders stream mail in, and accounts for it;\n' +
      'with `roles`, processes of every role, two of each, on a server.\n' +
      'The embedded database, or the server that TEST_DATABASE_URL names: npm run node -- test/peers/postgres.ts -- npm run faults -- …\n',
  )
  process.exit(2)
}

const { faults, text } = await result()
process.stdout.write([text, ...faults, faults.length > 0 ? 'FAULTS' : 'no fault', ''].join('\n'))
process.exitCode = faults.length > 0 ? 1 : 0

async function result(): Promise<Result> {
  const since = performance.now()
  const goOn = (kills: number) => {
    if (kills > 0 && kills % 10 === 0) process.stdout.write(`${kills} kills\n`)
    return what === 'kill' ? kills < most : performance.now() - since < most * 1000
  }
  return what === 'roles' ? stormResult(await storm(goOn)) : crashResult(await crashRun(goOn))
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
  return listed(all)
}

function listed(all: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(all).flatMap(([name, list]) => list.slice(0, 10).map((one) => `${name}: ${one}`))
}

function stormResult({ seconds, kills, mail, sent, copies, ...report }: StormReport): Result {
  const text = [
    `${kills} kills in ${seconds} s, two processes of each role`,
    `in:   ${mail.acknowledged} copies acknowledged of ${mail.attempted}, ${mail.stored} stored, ${mail.lost.length} lost, ${mail.unexpected.length} unexpected`,
    `      there twice: ${report.knownDuplicated.length} with a Message-ID, ${mail.duplicated.length - report.knownDuplicated.length} without`,
    `out:  ${sent.acknowledged} messages acknowledged of ${sent.attempted}, ${sent.lost.length} lost, ${sent.unexpected.length} unexpected, ${sent.duplicated.length} sent twice`,
    `      ${copies.stored} copies in Sent, ${copies.lost.length} lost, ${copies.unexpected.length} unexpected`,
    `      ${report.failed.length} failed, and in the list as such: three workers were killed over them`,
  ]
  const faults = listed({
    'mail lost': mail.lost,
    'mail that nobody sent': mail.unexpected,
    'mail with a Message-ID stored twice': report.knownDuplicated,
    'mail refused': Object.entries(report.refused).map(([reply, times]) => `${times} × ${reply}`),
    'messages not sent': sent.lost,
    'messages that nobody asked for': sent.unexpected,
    'second copies that differ': report.differing,
    'copies in Sent lost': copies.lost,
    'copies in Sent that should not be': copies.unexpected,
    discrepancies: report.discrepancies,
    'the log': report.complaints,
  })
  return { text: text.join('\n'), faults }
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
