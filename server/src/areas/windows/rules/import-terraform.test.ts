import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ImportError } from "./import-result.ts";
import { importTerraform } from "./import-terraform.ts";
import { TERRAFORM_CLASSES } from "./terraform-classes.ts";

type Values = Record<string, unknown> | null;

const PROVIDER = "registry.terraform.io/ciscodevnet/aci";

/** Builds a change as a plan has it. The module is read from the address. */
function buildChange(
	address: string,
	actions: string[],
	before: Values,
	after: Values,
	more: Record<string, unknown> = {},
) {
	const module = /^((?:module\.\w+(?:\["?\w+"?\])?\.)*)/.exec(address)?.[1]?.slice(0, -1) ?? "";
	const [type = "", rest = ""] = address.slice(module === "" ? 0 : module.length + 1).split(".");
	const [, name = rest, index] = /^(\w+)\[(.*)\]$/.exec(rest) ?? [];
	return {
		address,
		...(module === "" ? {} : { module_address: module }),
		mode: "managed",
		type,
		name,
		...(index === undefined ? {} : { index: JSON.parse(index) }),
		provider_name: PROVIDER,
		change: { actions, before, after, after_unknown: { id: true }, ...more },
	};
}

const buildConfig = (resources: Record<string, Record<string, string[]>>, more: Record<string, unknown> = {}) => ({
	resources: Object.entries(resources).map(([address, expressions]) => ({
		address,
		mode: "managed",
		type: address.split(".")[0],
		name: address.split(".")[1],
		expressions: Object.fromEntries(Object.entries(expressions).map(([name, references]) => [name, { references }])),
	})),
	...more,
});

const importPlan = (changes: unknown[], rootModule: unknown = {}, formats: Record<string, string> = {}) =>
	importTerraform(
		JSON.stringify({
			format_version: "1.2",
			terraform_version: "1.9.0",
			resource_changes: changes,
			configuration: { root_module: rootModule },
		}),
		(className) => formats[className],
	);
const listDns = (...given: Parameters<typeof importPlan>) =>
	importPlan(...given).expectations.map(({ change, dn }) => `${change} ${dn}`);

describe("a plan of Terraform that creates resources", () => {
	const tenant = buildChange("aci_tenant.prod", ["create"], null, { name: "prod" });
	const bd = buildChange("aci_bridge_domain.web", ["create"], null, { name: "web" });
	const config = buildConfig({
		"aci_tenant.prod": {},
		"aci_bridge_domain.web": { tenant_dn: ["aci_tenant.prod.id", "aci_tenant.prod"] },
		"aci_subnet.web": { parent_dn: ["aci_bridge_domain.web.id", "aci_bridge_domain.web"] },
	});

	it("joins the dn of the parent and the name by the class's format", () => {
		const subnet = buildChange("aci_subnet.web", ["create"], null, { ip: "10.0.0.1/24" });
		expect(listDns([subnet, bd, tenant], config)).toEqual([
			"added uni/tn-prod/BD-web/subnet-[10.0.0.1/24]",
			"added uni/tn-prod/BD-web",
			"added uni/tn-prod",
		]);
		expect(importPlan([bd, tenant], config).expectations[0]).toMatchObject({
			class_name: "fvBD",
			source: "terraform",
			note: "aci_bridge_domain.web",
			attributes: null,
			required: true,
		});
	});

	it("takes the format of the loaded class model first", () => {
		expect(listDns([tenant], {}, { fvTenant: "tenant-{name}" })).toEqual(["added uni/tenant-prod"]);
	});

	it("takes a known dn of the parent, and properties by their names in snake case", () => {
		const given = buildChange("aci_bridge_domain.a", ["create"], null, { tenant_dn: "uni/tn-x", name: "a" });
		const pool = buildChange("aci_vlan_pool.p", ["create"], null, { name: "p", alloc_mode: "static" });
		const newer = buildChange("aci_bridge_domain.b", ["create"], null, { parent_dn: "uni/tn-x", name: "b" });
		expect(listDns([given, pool, newer])).toEqual([
			"added uni/tn-x/BD-a",
			"added uni/infra/vlanns-[p]-static",
			"added uni/tn-x/BD-b",
		]);
	});

	it("follows references through variables, outputs and instances of modules", () => {
		const root = {
			...buildConfig({}),
			module_calls: {
				tenant: {
					module: {
						...buildConfig({ "aci_tenant.this": {} }),
						outputs: { dn: { expression: { references: ["aci_tenant.this.id", "aci_tenant.this"] } } },
					},
				},
				bds: {
					expressions: { tenant_dn: { references: ["module.tenant.dn", "module.tenant"] } },
					module: buildConfig({ "aci_bridge_domain.bd": { tenant_dn: ["var.tenant_dn"] } }),
				},
			},
		};
		const changes = [
			buildChange("module.tenant.aci_tenant.this", ["create"], null, { name: "prod" }),
			buildChange('module.bds["a"].aci_bridge_domain.bd["x"]', ["create"], null, { name: "web" }),
		];
		expect(listDns(changes, root)).toEqual(["added uni/tn-prod", "added uni/tn-prod/BD-web"]);
	});

	it("takes the instance with the same key", () => {
		const changes = ["a", "b"].flatMap((key) => [
			buildChange(`aci_tenant.t["${key}"]`, ["create"], null, { name: `tn${key}` }),
			buildChange(`aci_bridge_domain.bd["${key}"]`, ["create"], null, { name: "bd" }),
		]);
		const root = buildConfig({ "aci_bridge_domain.bd": { tenant_dn: ["aci_tenant.t", "each.key"] } });
		expect(listDns(changes, root).filter((text) => text.includes("BD"))).toEqual([
			"added uni/tn-tna/BD-bd",
			"added uni/tn-tnb/BD-bd",
		]);
	});

	it.each([
		["whose dn above is not known", buildChange("aci_bridge_domain.a", ["create"], null, { name: "a" }), "tenant_dn"],
		["whose name is not known", buildChange("aci_tenant.a", ["create"], null, {}), "Its name is not known."],
		["of an unknown type", buildChange("aci_odd_thing.a", ["create"], null, { name: "a" }), "aci_odd_thing"],
		["whose name does not fit", buildChange("aci_tenant.a", ["create"], null, { name: "a/b" }), "do not fit"],
		["with a wildcard", buildChange("aci_tenant.a", ["create"], null, { name: "*" }), "has a *"],
	])("reports as not understood a resource %s", (_what, change, reason) => {
		const { expectations, notUnderstood } = importPlan([change]);
		expect(expectations).toEqual([]);
		expect(notUnderstood).toEqual([{ what: change.address, reason: expect.stringContaining(reason) }]);
	});

	it("stops at circular references", () => {
		const changes = [
			buildChange("aci_subnet.a", ["create"], null, { ip: "1" }),
			buildChange("aci_subnet.b", ["create"], null, { ip: "2" }),
		];
		const root = buildConfig({
			"aci_subnet.a": { parent_dn: ["aci_subnet.b"] },
			"aci_subnet.b": { parent_dn: ["aci_subnet.a"] },
		});
		expect(importPlan(changes, root).notUnderstood).toHaveLength(2);
	});
});

describe("a plan of Terraform that changes existing resources", () => {
	const web = { id: "uni/tn-prod/BD-web", name: "web" };

	it.each([
		["nothing of a resource that stays", ["no-op"], web, web, []],
		["nothing of a resource that is read", ["read"], null, web, []],
		["nothing of a resource that is forgotten", ["forget"], web, null, []],
		["an update as modified", ["update"], web, { ...web, id: undefined }, ["modified uni/tn-prod/BD-web"]],
		["a deletion by its id", ["delete"], web, null, ["deleted uni/tn-prod/BD-web"]],
		["a replacement with the same dn as modified", ["delete", "create"], web, web, ["modified uni/tn-prod/BD-web"]],
		[
			"a replacement with another dn as deleted and added",
			["create", "delete"],
			web,
			{ tenant_dn: "uni/tn-prod", name: "app" },
			["deleted uni/tn-prod/BD-web", "added uni/tn-prod/BD-app"],
		],
	])("expects %s", (_what, actions, before, after, expected) => {
		expect(listDns([buildChange("aci_bridge_domain.x", actions, before, after as Values)])).toEqual(expected);
	});

	it("leaves resources of other providers and data sources out", () => {
		const other = buildChange("null_resource.a", ["create"], null, {});
		const data = { ...buildChange("aci_tenant.a", ["read"], null, { name: "a" }), mode: "data" };
		expect(importPlan([other, data])).toEqual({ expectations: [], notUnderstood: [] });
	});
});

describe("an import of aci_rest_managed", () => {
	const bd = (content: Record<string, string>, more: Record<string, unknown> = {}) => ({
		dn: "uni/tn-prod/BD-web",
		class_name: "fvBD",
		content,
		...more,
	});

	it("takes dn and class, as the modules of Network as Code write them", () => {
		const address = 'module.aci.module.aci_bridge_domain["prod/web"].aci_rest_managed.fvBD';
		const change = {
			...buildChange("aci_rest_managed.fvBD", ["create"], null, bd({ name: "web" })),
			address,
			module_address: 'module.aci.module.aci_bridge_domain["prod/web"]',
		};
		expect(importPlan([change]).expectations).toMatchObject([
			{ change: "added", dn: "uni/tn-prod/BD-web", class_name: "fvBD", note: address },
		]);
	});

	it("expects the values of the content that change, in the controller's spelling", () => {
		const change = buildChange(
			"aci_rest_managed.bd",
			["update"],
			bd({ name: "web", arpFlood: "false", descr: "a", mac: "x" }, { id: "uni/tn-prod/BD-web" }),
			bd({ name: "web", arpFlood: "true", descr: "b", unicastRoute: "yes" }),
		);
		expect(importPlan([change]).expectations[0]?.attributes).toEqual({
			arpFlood: { from: "no", to: "yes" },
			descr: { from: "a", to: "b" },
			unicastRoute: { to: "yes" },
		});
	});

	it("expects any value where the plan does not know it", () => {
		const change = buildChange("aci_rest_managed.a", ["update"], bd({ descr: "a" }), bd({}), {
			after_unknown: { content: { descr: true } },
		});
		expect(importPlan([change]).expectations[0]?.attributes).toEqual({ descr: {} });
	});

	it("hides values that the plan marks as sensitive", () => {
		const change = buildChange("aci_rest_managed.a", ["update"], bd({ pwd: "old" }), bd({ pwd: "secret" }), {
			before_sensitive: { content: { pwd: true } },
			after_sensitive: { content: { pwd: true } },
		});
		const imported = importPlan([change]);
		expect(imported.expectations[0]?.attributes).toEqual({ pwd: {} });
		expect(JSON.stringify(imported)).not.toContain("secret");
	});

	it("expects children that are added, deleted or modified", () => {
		const child = (rn: string, descr = "") => ({ rn, class_name: "fvSubnet", content: { descr } });
		const before = bd({}, { child: [child("subnet-[a]"), child("subnet-[b]"), child("subnet-[d]")] });
		const after = bd({}, { child: [child("subnet-[b]", "new"), child("subnet-[c]"), child("subnet-[d]")] });
		expect(listDns([buildChange("aci_rest_managed.a", ["update"], before, after)])).toEqual([
			"deleted uni/tn-prod/BD-web/subnet-[a]",
			"modified uni/tn-prod/BD-web/subnet-[b]",
			"added uni/tn-prod/BD-web/subnet-[c]",
		]);
	});

	it("expects children to be added and deleted with their parent", () => {
		const values = bd({}, { child: [{ rn: "rsctx", class_name: "fvRsCtx", content: {} }] });
		expect(listDns([buildChange("aci_rest_managed.a", ["create"], null, values)])).toEqual([
			"added uni/tn-prod/BD-web",
			"added uni/tn-prod/BD-web/rsctx",
		]);
		expect(listDns([buildChange("aci_rest_managed.a", ["delete"], values, null)])).toEqual([
			"deleted uni/tn-prod/BD-web",
			"deleted uni/tn-prod/BD-web/rsctx",
		]);
	});

	it("joins resources of the same object", () => {
		const changes = ["descr", "mac"].map((name) =>
			buildChange(`aci_rest_managed.${name}`, ["update"], bd({ [name]: "a" }), bd({ [name]: "b" })),
		);
		expect(importPlan(changes).expectations.map(({ attributes }) => attributes)).toEqual([
			{ descr: { from: "a", to: "b" }, mac: { from: "a", to: "b" } },
		]);
	});

	it("takes the dn of aci_rest from its path", () => {
		const change = buildChange("aci_rest.a", ["create"], null, {
			path: "/api/node/mo/uni/tn-x.json",
			class_name: "fvTenant",
		});
		expect(listDns([change], {}, { fvTenant: "tn-{name}" })).toEqual(["added uni/tn-x"]);
		expect(importPlan([change], {}, { fvTenant: "ctx-{name}" }).notUnderstood).toHaveLength(1);
	});
});

describe("an import of Terraform", () => {
	it.each([
		["a file that is no JSON", "plan"],
		["a file that is no plan", "[]"],
		["a state", '{"format_version":"1.0","values":{}}'],
		["a plan of an unknown format", '{"format_version":"2.0","resource_changes":[]}'],
	])("refuses %s", (_what, content) => {
		expect(() => importTerraform(content, () => undefined)).toThrow(ImportError);
	});

	it("expects nothing of a plan without changes", () => {
		expect(importTerraform('\ufeff{"format_version":"1.2"}', () => undefined).expectations).toEqual([]);
	});
});

const GRAPH = fileURLToPath(
	new URL("../../../../../../../shared/data/controller/derived/class-graph-6.0_9c.jsonl", import.meta.url),
);

describe("known types of resources", () => {
	it.skipIf(!existsSync(GRAPH))("match the formats of the real class model", () => {
		const formats = new Map(
			readFileSync(GRAPH, "utf8")
				.trim()
				.split("\n")
				.map((line) => JSON.parse(line) as { class: string; rn_format: string })
				.map(({ class: name, rn_format: format }) => [name, format.replace(/\{[^{}]*\}/g, "{}")]),
		);
		const wrong = [...TERRAFORM_CLASSES.values()].flatMap(({ className, rnFormat }) => {
			const real = formats.get(className);
			const own = rnFormat.replace(/\{[^{}]*\}/g, "{}");
			return real === undefined || real === own ? [] : [`${className}: ${rnFormat}, really ${real}`];
		});
		expect(wrong).toEqual([]);
		expect([...TERRAFORM_CLASSES.values()].filter(({ className }) => formats.has(className)).length).toBeGreaterThan(
			30,
		);
	});
});
