import { after, before, describe } from 'node:test'
import { composeTests } from './compose.ts'
import { Containers } from './containers.ts'
import { imageTests } from './image.ts'

let containers: Containers
before(async () => {
  containers = await Containers.open()
})
after(() => containers[Symbol.asyncDispose]())
const open = () => containers

describe('the image', () => {
  before(() => containers.buildMailroom())
  imageTests(open)
})

describe('Compose', () => {
  composeTests(open, { up: false })
})
