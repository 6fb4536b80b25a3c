import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { composeTests } from './compose.ts'
import { Containers } from './containers.ts'
import { dovecot24Tests } from './dovecot-24.ts'
import { imageTests } from './image.ts'

const deploy = join(import.meta.dirname, '../../deploy')

let containers: Containers
before(async () => {
  containers = await Containers.open()
})
after(() => containers[Symbol.asyncDispose]())
const open = () => containers

describe('Dovecot 2.4', () => {
  before(() => containers.build('mailroom-dovecot', join(deploy, 'dovecot')))
  dovecot24Tests(open)
})

describe('the image', () => {
  before(() => containers.buildMailroom())
  imageTests(open)
})

// With the images of the two before it.
describe('the whole', () => {
  before(() => containers.build('mailroom-postfix', join(deploy, 'postfix')))
  composeTests(open)
})
