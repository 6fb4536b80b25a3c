import { invalid } from '#/base/errors.ts'
import { nextSecret, settleSecret } from '#/base/secrets/given.ts'
import { rotateTo } from '#/base/secrets/rotate.ts'
import { command } from '../command.ts'
import { grouped } from '../table.ts'

export const secretCommands = [
  command({
    name: 'secret rotate',
    summary: 'Change the secret of this installation and reseal all values under it',
    operands: [],
    options: {},
    run: async ({ database: { db }, config, keyring: open }, _, onProgress) => {
      const keyring = await open(db)
      const next = await nextSecret(config)
      const count = (done: number) => onProgress(`Resealed ${grouped(done)} values`)
      const rotated = await rotateTo(next, { db, keyring, count })
      await settleSecret(config, next)
      if (!rotated) {
        if (config.secrets.secret !== undefined) throw inForceAlready()
        return { value: { resealed: 0, unopened: [] }, text: 'The change of the secret was already finished.' }
      }
      const { resealed, unopened } = rotated
      const text = [
        `The new secret is in force, and ${grouped(resealed)} values are sealed under it.`,
        config.secrets.secret === undefined
          ? `It is in the file secret in ${config.dataDir}: back that up.`
          : 'MAILROOM_SECRET_PREVIOUS is no longer needed.',
        ...unopened.map((where) => `No known secret decrypts ${where}; it is unchanged.`),
      ]
      return { value: { resealed, unopened }, text: text.join('\n') }
    },
  }),
]

function inForceAlready() {
  return invalid(
    'secret',
    'MAILROOM_SECRET is already the secret in force',
    'Set MAILROOM_SECRET to a new one and MAILROOM_SECRET_PREVIOUS to this one for every process, restart each, and run this again',
  )
}
