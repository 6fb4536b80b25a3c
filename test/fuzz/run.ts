// The long runs of the tests beside it: npm run fuzz -- http|mail|imap|growth COUNT [SEED]
import { fuzzGrowth } from './growth.ts'
import { fuzzHttp } from './http.ts'
import { fuzzImap } from './imap.ts'
import { fuzzMail } from './mail.ts'

const [kind = '', count = '', seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2)
if (!/^(?:http|mail|imap|growth)$/.test(kind) || !/^\d+$/.test(count) || !/^\d+$/.test(seed)) {
  process.stderr.write(
    'Usage: npm run fuzz -- http|mail|imap|growth COUNT [SEED]\n' +
      'Sends so many requests, messages, or commands, good and bad, and checks every answer; or measures whether work with so\n' +
      'many texts grows faster than they do. A seed makes the same ones again.\n' +
      'The embedded database, or the server that TEST_DATABASE_URL names: npm run node -- test/peers/postgres.ts -- npm run fuzz …\n',
  )
  process.exit(2)
}
process.stdout.write(`seed ${seed}\n`)
let reported = 0
const tell = (done: number) => {
  if (done - reported < Number(count) / 20) return
  reported = done
  process.stdout.write(`${done} done\n`)
}
if (kind === 'http') {
  const tally = await fuzzHttp(Number(count), Number(seed), tell)
  for (const [operation, answers] of [...tally].sort()) say(operation, answers)
} else if (kind === 'growth') {
  const found = fuzzGrowth(Number(count), Number(seed), tell)
  for (const one of found) process.stdout.write(`grows too fast: ${one}\n`)
  if (found.length > 0) process.exitCode = 1
} else if (kind === 'imap') {
  say('answers', await fuzzImap(Number(count), Number(seed), tell))
} else {
  say('replies', await fuzzMail(Number(count), Number(seed), tell))
}

function say(name: string, counts: ReadonlyMap<unknown, number>): void {
  const said = [...counts].sort().map(([answer, times]) => `${answer}: ${times}`)
  process.stdout.write(`${name.padEnd(45)} ${said.join(', ')}\n`)
}
