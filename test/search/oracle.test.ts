import { sql } from 'kysely'
import { World } from '#test/world/world.ts'
import { searchOracle } from './oracle.ts'

const addTotals = ({ db }: World, more: number) =>
  sql`update mail_folders set total = total + ${more}::integer`.execute(db)

searchOracle(
  'in the database',
  async () => {
    const world = await World.start()
    return { world, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
  },
  {
    again: {
      what: 'mailboxes that are so large that frequent words are not looked up',
      begin: (world) => addTotals(world, 1_000_000),
      end: (world) => addTotals(world, -1_000_000),
    },
  },
)
