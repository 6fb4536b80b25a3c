import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roleByGroups } from './role.ts'

const both = { ownerGroup: 'owners', adminGroup: 'admins' }
const onlyAdmins = { ownerGroup: undefined, adminGroup: 'admins' }
const onlyOwners = { ownerGroup: 'owners', adminGroup: undefined }
const none = { ownerGroup: undefined, adminGroup: undefined }

for (const [what, has, groups, settings, expected] of [
  ['gets the role of the group', 'member', ['admins'], both, 'admin'],
  ['gets the higher role of two', 'member', ['admins', 'owners'], both, 'owner'],
  ['loses the role of a group that they left', 'owner', [], both, 'member'],
  ['gets the lower role of the group that is left', 'owner', ['admins'], both, 'admin'],
  ['keeps a role that no group gives', 'owner', [], onlyAdmins, 'owner'],
  ['is not lowered by a group from a role that none gives', 'owner', ['admins'], onlyAdmins, 'owner'],
  ['is raised by a group from a role that none gives', 'admin', ['owners'], onlyOwners, 'owner'],
  ['keeps being an admin where no group gives that', 'admin', [], onlyOwners, 'admin'],
  ['keeps every role where no group gives any', 'admin', ['admins'], none, 'admin'],
  ['is not raised by a group that nobody named', 'member', ['admins', 'undefined'], none, 'member'],
  ['is not raised by a group that only begins so', 'member', ['admins2', 'ADMINS'], both, 'member'],
] as const)
  test(`a member ${what}`, () => assert.equal(roleByGroups(has, groups, settings), expected))
