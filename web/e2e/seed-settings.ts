/** Categories and reference data, for the pages that list them. */
import {
	automationCategoryRoutes,
	columnTemplateRoutes,
	mimPersonalRoutes,
	queryCategoryRoutes,
	regexPatternRoutes,
	validationListRoutes,
	webhookRoutes,
} from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";

export async function seedSettings(client: WeftClient): Promise<void> {
	await client.call(queryCategoryRoutes.create, {
		body: { name: "Hygiene", description: "What should not be there", color: "#1f77b4" },
	});
	await client.call(automationCategoryRoutes.create, {
		body: { name: "Onboarding", description: "Tenants, networks and contracts of new applications", color: "#2ca02c" },
	});
	await client.call(validationListRoutes.create, {
		body: { name: "Sites", description: "Where there are leaves", values: ["ams", "cdg", "fra", "lhr"] },
	});
	await client.call(regexPatternRoutes.create, {
		body: {
			name: "Name of a tenant",
			pattern: "[a-z][a-z0-9-]{2,30}",
			category: "naming",
			test_strings: ["shop-prod", "Shop prod"],
		},
	});
	await client.call(columnTemplateRoutes.create, {
		body: {
			name: "VLAN of a bridge domain",
			column: { name: "vlan", field_type: "vlan", required: true, min: 100, max: 199 },
			is_public: true,
		},
	});
	await client.call(mimPersonalRoutes.createTemplate, {
		body: {
			name: "Bridge domains, short",
			class_name: "fvBD",
			columns: [{ field: "name" }, { field: "unicastRoute", label: "Routed", order: 1 }],
			sorting: [{ field: "name" }],
			is_shared: true,
		},
	});
	// Nothing is sent to it but tests.
	await client.call(webhookRoutes.create, {
		body: { name: "On-call chat", format: "slack", url: "http://127.0.0.1:9/hook", enabled: false },
	});
}
