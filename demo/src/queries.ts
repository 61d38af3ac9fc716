/** The connections to the fabrics, and the saved queries. */
import { connectionGroupRoutes, connectionRoutes, PICTURE_CLASSES, savedQueryRoutes } from "@weft/contracts";
import type { RunningController } from "@weft/lab";
import type { WeftClient } from "@weft/sdk";
import { FABRICS } from "./fabrics.ts";

export const GROUP = "Both data centres";
export const BRIDGE_DOMAINS = "Bridge domains and subnets";
export const CRITICAL_FAULTS = "Critical faults";
export const ENDPOINTS = "Endpoints";
export const FAULTS = "Faults";
export const TOPOLOGY = "Topology of the fabric";
export const POLICY = "Policy of the tenants";

interface Node {
	readonly id: string;
	readonly class: string;
	/** Id of the node of a class above. */
	readonly under?: string;
	readonly filter?: { readonly property: string; readonly operator: string; readonly value: string };
}

/** A canvas with the classes from left to right. Those of `hidden` are not in the result. */
function buildCanvas(nodes: readonly Node[], hidden: readonly string[] = []) {
	const outX = 240 * (nodes.length + 1);
	const edges: { id: string; source: string; target: string }[] = [];
	const connect = (source: string, target: string) => edges.push({ id: `${source}-${target}`, source, target });
	const filters = nodes.flatMap(({ id, filter }, at) =>
		filter === undefined
			? []
			: [
					{
						id: `${id}-filter`,
						type: "filterNode",
						position: { x: 240 * (at + 1), y: 160 },
						data: { filterType: "property", ...filter },
					},
				],
	);
	for (const { id, under, filter } of nodes) {
		connect(under ?? "start", id);
		if (filter !== undefined) connect(id, `${id}-filter`);
		if (!hidden.includes(id)) connect(id, "out");
	}
	return {
		nodes: [
			{ id: "start", type: "startNode", position: { x: 0, y: 0 }, data: {} },
			...nodes.map((node, at) => ({
				id: node.id,
				type: "classNode",
				position: { x: 240 * (at + 1), y: 0 },
				data: { className: node.class },
			})),
			...filters,
			{ id: "out", type: "outputNode", position: { x: outX, y: 0 }, data: { enableTimeMachine: true } },
		],
		edges,
	};
}

/** Builds a canvas that reads all objects of the classes. */
const buildClasses = (names: readonly string[]) => buildCanvas(names.map((name) => ({ id: name, class: name })));

/** Tenants, the bridge domains that they contain, and the subnets of those. */
export const BRIDGE_DOMAIN_CANVAS = buildCanvas(
	[
		{ id: "tenants", class: "fvTenant", filter: { property: "name", operator: "ne", value: "common" } },
		{ id: "domains", class: "fvBD", under: "tenants" },
		{ id: "subnets", class: "fvSubnet", under: "domains" },
	],
	["tenants"],
);

const QUERIES = [
	{
		name: BRIDGE_DOMAINS,
		description: "All bridge domains with their gateways, except those of the tenant common.",
		flow_data: BRIDGE_DOMAIN_CANVAS,
		enable_time_machine: true,
		tags_list: ["nightly", "l2"],
		drift_rules: { severity: { "fvBD.unicastRoute": "critical" as const, "fvSubnet.scope": "info" as const } },
	},
	{
		name: ENDPOINTS,
		description: "Every endpoint with its MAC address, its addresses, its EPG and its port.",
		flow_data: buildCanvas([
			{ id: "endpoints", class: "fvCEp" },
			{ id: "addresses", class: "fvIp", under: "endpoints" },
		]),
		enable_time_machine: true,
		tags_list: ["nightly", "endpoints"],
		// Endpoints move all day: they are kept to be found, and their moves are no drift.
		drift_rules: { ignore_classes: ["fvCEp", "fvIp"] },
	},
	{
		name: FAULTS,
		description: "Every fault of the fabric.",
		flow_data: buildCanvas([{ id: "faults", class: "faultInst" }]),
		enable_time_machine: true,
		tags_list: ["nightly", "health"],
	},
	{
		name: CRITICAL_FAULTS,
		description: "Faults that need attention at once.",
		flow_data: buildCanvas([
			{ id: "faults", class: "faultInst", filter: { property: "severity", operator: "eq", value: "critical" } },
		]),
		tags_list: ["health"],
	},
	{
		name: "Faults by severity",
		description: "How many faults there are of each severity.",
		flow_data: buildCanvas([{ id: "faults", class: "faultInst" }]),
		post_processors: [{ type: "aggregate", config: { groupBy: ["severity"] } }],
		tags_list: ["health"],
	},
	{
		name: "Endpoint groups of a tenant",
		description: "Asks for a tenant, and lists its endpoint groups.",
		flow_data: buildCanvas(
			[
				// biome-ignore lint/suspicious/noTemplateCurlyInString: the service replaces it, not this program
				{ id: "tenants", class: "fvTenant", filter: { property: "name", operator: "eq", value: "${tenant}" } },
				{ id: "groups", class: "fvAEPg", under: "tenants" },
			],
			["tenants"],
		),
		variables: [{ id: "tenant", label: "Tenant", required: true, defaultValue: "Retail-01" }],
		tags_list: ["epg"],
	},
	{
		name: "Contracts and their subjects",
		description: "What may talk to what, by tenant.",
		flow_data: buildCanvas([
			{ id: "contracts", class: "vzBrCP" },
			{ id: "subjects", class: "vzSubj", under: "contracts" },
		]),
		tags_list: ["policy"],
	},
	{
		name: "Switches",
		description: "Every node of the fabric with its role and serial number.",
		flow_data: buildCanvas([{ id: "nodes", class: "fabricNode" }]),
		tags_list: ["inventory"],
	},
	{
		name: TOPOLOGY,
		description: "Nodes and links of the fabric: the picture of its topology is drawn from them.",
		flow_data: buildClasses(PICTURE_CLASSES.topology),
		enable_time_machine: true,
		tags_list: ["nightly", "inventory"],
	},
	{
		name: POLICY,
		description: "VRFs, bridge domains, EPGs and contracts: pictures of tenants are drawn from them.",
		flow_data: buildClasses(PICTURE_CLASSES.tenant),
		enable_time_machine: true,
		tags_list: ["nightly", "policy"],
	},
];

/** Ids by name. */
export interface Known {
	readonly connections: readonly string[];
	readonly group: string;
	readonly queries: ReadonlyMap<string, string>;
}

/** Makes connections, their group and the queries. */
export async function makeQueries(admin: WeftClient, controllers: readonly RunningController[]): Promise<Known> {
	const connections: string[] = [];
	for (const [at, { url, username, password }] of controllers.entries()) {
		const name = FABRICS[at] ?? "";
		const description = `Simulated fabric ${at + 1}`;
		const { id } = await admin.call(connectionRoutes.create, {
			body: { name, url, username, password, description, is_public: true },
		});
		await admin.call(connectionRoutes.test, { params: { id } });
		connections.push(id);
	}
	const group = await admin.call(connectionGroupRoutes.create, {
		body: { name: GROUP, connection_ids: connections, is_public: true },
	});
	const queries = new Map<string, string>();
	for (const query of QUERIES) {
		const { id } = await admin.call(savedQueryRoutes.create, {
			body: { ...query, is_public: true, connection_group: group.id },
		});
		queries.set(query.name, id);
	}
	return { connections, group: group.id, queries };
}

/** Finds them again, and tells the service where the simulators are this time. */
export async function findQueries(admin: WeftClient, controllers: readonly RunningController[]): Promise<Known> {
	const all = { query: { page_size: "200" } };
	const stored = (await admin.call(connectionRoutes.list, all)).results;
	const connections: string[] = [];
	for (const [at, { url, username, password }] of controllers.entries()) {
		const id = getId(stored, FABRICS[at] ?? "");
		await admin.call(connectionRoutes.update, { params: { id }, body: { url, username, password } });
		connections.push(id);
	}
	const group = getId((await admin.call(connectionGroupRoutes.list, all)).results, GROUP);
	const queries = (await admin.call(savedQueryRoutes.list, all)).results;
	return { connections, group, queries: new Map(queries.map(({ id, name }) => [name, id])) };
}

/** The id of the object of this name. Throws a sentence if it was deleted. */
export function getId(list: readonly { readonly id: string; readonly name: string }[], name: string): string {
	const found = list.find((each) => each.name === name);
	if (found === undefined) throw new Error(`"${name}" is missing: it was deleted. Run the demo with --reset.`);
	return found.id;
}

/** The id of a query of the demo. */
export function getQuery({ queries }: Known, name: string): string {
	return getId(
		[...queries].map(([known, id]) => ({ id, name: known })),
		name,
	);
}
