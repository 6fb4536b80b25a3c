// Fuzzes for as long as is asked: npm run fuzz -- http|mail COUNT [SEED]
import { fuzzHttp } from './http.ts'
import { fuzzMail } from './mail.ts'

const [kind = '', count = '', seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2)
if (!/^(?:http|mail)$/.test(kind) || !/^\d+$/.test(count)) throw new Error('npm run fuzz -- http|mail COUNT [SEED]')
process.stdout.write(`seed ${seed}\n`)
if (kind === 'http') {
  for (const [name, counts] of [...(await fuzzHttp(Number(count), Number(seed)))].sort()) say(name, counts)
} else {
  say('replies', await fuzzMail(Number(count), Number(seed)))
}

function say(name: string, counts: ReadonlyMap<unknown, number>): void {
  const said = [...counts].sort().map(([answer, times]) => `${answer}: ${times}`)
  process.stdout.write(`${name.padEnd(45)} ${said.join(', ')}\n`)
}
