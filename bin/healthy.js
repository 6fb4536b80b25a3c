// Ends with 0 where the Mailroom of this container answers wherever its roles listen, else with 1.
import { answersEverywhere } from '../src/app/cli/doctor/ports.ts'
import { readConfig } from '../src/app/config/config.ts'

process.exit((await answersEverywhere(readConfig(process.env))) ? 0 : 1)
