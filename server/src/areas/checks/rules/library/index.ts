/** The library of checks for Cisco ACI fabrics. */
import { ACCESS_TEMPLATES } from "./access.ts";
import { HEALTH_TEMPLATES } from "./health.ts";
import type { CheckTemplate } from "./template.ts";
import { TENANT_TEMPLATES } from "./tenants.ts";

export const CHECK_TEMPLATES: readonly CheckTemplate[] = [
	...HEALTH_TEMPLATES,
	...TENANT_TEMPLATES,
	...ACCESS_TEMPLATES,
];
