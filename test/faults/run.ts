// The long runs of kill.test.ts: npm run faults -- kill COUNT | storm SECONDS
import { crashRun, type Report } from './crash-run.ts'

const [what, amount] = process.argv.slice(2)
const most = Number(amount)
if ((what !== 'kill' && what !== 'storm') || !(most > 0)) {
  process.stderr.write(
    'Usage: npm run faults -- kill COUNT | storm SECONDS\n' +
      'Kills the service (kill -9) so many times, or for so long, while 50 senders stream mail in, and accounts for it.\n' +
      'The embedded database, or the server that TEST_DATABASE_URL names: node test/postgres.ts -- npm run faults -- …\n',
  )
  process.exit(2)
}

const since = performance.now()
const report = await crashRun((kills) => {
  if (kills > 0 && kills % 10 === 0) process.stdout.write(`${kills} kills\n`)
  return what === 'kill' ? kills < most : performance.now() - since < most * 1000
})
process.stdout.write(describe(report))
process.exitCode = faultsIn(report).length > 0 ? 1 : 0

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

function describe(report: Report): string {
  const { seconds, kills, mail, labels, repeated, knownDuplicated } = report
  const faults = faultsIn(report)
  return [
    `${kills} kills in ${seconds} s, 50 senders`,
    `mail: ${mail.acknowledged} copies acknowledged of ${mail.attempted}, ${mail.stored} stored, ${mail.lost.length} lost, ${mail.unexpected.length} unexpected`,
    `      ${repeated} letters sent again; there twice: ${knownDuplicated.length} with a Message-ID, ${mail.duplicated.length - knownDuplicated.length} without; there unheard: ${mail.recovered.length}`,
    `labels: ${labels.acknowledged} acknowledged, ${labels.stored} stored, ${labels.lost.length} lost, ${labels.duplicated.length} twice`,
    ...faults,
    faults.length > 0 ? 'FAULTS' : 'no fault',
    '',
  ].join('\n')
}
