/** The tenant of an object. */

const TENANT = /^uni\/tn-([^/[\]]+)(?:\/|$)/;

/** Name of the tenant that a dn lies in; null outside of tenants. */
export const findTenant = (dn: string): string | null => TENANT.exec(dn)?.[1] ?? null;
