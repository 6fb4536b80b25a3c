// npm run test:compose: brings up the whole as deploy/compose.yaml has it. By itself, since it takes minutes and asks the
// name servers of the machine about names that only its own network has.
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { composeTests } from './compose.ts'
import { Containers } from './containers.ts'

const deploy = join(import.meta.dirname, '../../deploy')
let containers: Containers
before(async () => {
  containers = await Containers.open()
  await containers.buildMailroom()
  await containers.build('mailroom-postfix', join(deploy, 'postfix'))
})
after(() => containers[Symbol.asyncDispose]())

// In a suite, whose hooks wait for those above: two of one level are started together.
describe('Compose', () => composeTests(() => containers, { up: true }))
