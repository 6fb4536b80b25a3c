import type { MePermissionsItem, MeScopesItem } from '../api/generated.ts'

/** A scope, or a permission that only roles have. */
export type Need = MeScopesItem | MePermissionsItem
