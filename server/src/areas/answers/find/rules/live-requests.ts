/** Requests to a controller that answer a question, each bounded. */
import { readNetwork } from "../../../../core/ip-networks.ts";
import type { Question } from "./question.ts";

/** Objects that one request reads. */
export const LIVE_PAGE = 1_000;

/** Classes whose names are searched, with the attributes that hold them. */
const NAMED: readonly (readonly [string, readonly string[]])[] = [
	["fvTenant", ["name", "nameAlias", "descr"]],
	["fvCtx", ["name", "nameAlias", "descr"]],
	["fvBD", ["name", "nameAlias", "descr"]],
	["fvAp", ["name", "nameAlias", "descr"]],
	["fvAEPg", ["name", "nameAlias", "descr"]],
	["vzBrCP", ["name", "nameAlias", "descr"]],
	["l3extOut", ["name", "nameAlias", "descr"]],
	["fabricNode", ["name", "serial"]],
	["l1PhysIf", ["id", "descr"]],
];

/** Paths below `/api/`, without secrets. */
export function listLiveRequests({ kind, normalized }: Question): string[] {
	if (kind === "ip" || kind === "prefix") return listNetworkRequests(kind, normalized);
	if (kind === "mac") return [buildClassPath("fvCEp", `eq(fvCEp.mac,"${normalized}")`)];
	if (kind === "vlan")
		return [
			buildClassPath("fvnsEncapBlk", null),
			buildClassPath("fvRsPathAtt", `eq(fvRsPathAtt.encap,"${normalized}")`),
			buildClassPath("fvCEp", `eq(fvCEp.encap,"${normalized}")`),
		];
	if (kind === "dn") return [`/api/node/mo/${normalized.split("/").map(encodePart).join("/")}.json`];
	const text = escapeText(normalized);
	return NAMED.map(([name, attributes]) => {
		const conditions = attributes.map((attribute) => `wcard(${name}.${attribute},"${text}")`);
		return buildClassPath(name, conditions.length === 1 ? (conditions[0] ?? null) : `or(${conditions.join(",")})`);
	});
}

function listNetworkRequests(kind: "ip" | "prefix", normalized: string): string[] {
	const network = readNetwork(normalized);
	if (network === null) return [];
	// Subnets are chosen here: the controller's filters do not know prefixes.
	const requests = [buildClassPath("fvSubnet", null)];
	if (kind === "ip")
		requests.push(
			buildClassPath("fvIp", `eq(fvIp.addr,"${network.address}")`),
			buildClassPath("fvCEp", `eq(fvCEp.ip,"${network.address}")`),
		);
	else if (network.bits === 32 && network.length >= 8) {
		const begin = network.address
			.split(".")
			.slice(0, Math.floor(network.length / 8))
			.join(".");
		requests.push(buildClassPath("fvIp", `wcard(fvIp.addr,"^${begin}.")`));
	} else requests.push(buildClassPath("fvIp", null));
	return requests;
}

function buildClassPath(className: string, filter: string | null): string {
	const condition = filter === null ? "" : `query-target-filter=${encodeURIComponent(filter)}&`;
	return `/api/node/class/${className}.json?${condition}order-by=${className}.dn&page=0&page-size=${LIVE_PAGE}`;
}

/** A part of a DN in a path: brackets and slashes stay as they are. */
const encodePart = (part: string): string => encodeURIComponent(part).replaceAll("%5B", "[").replaceAll("%5D", "]");

/**
 * The text as a pattern of the controller: it allows any character in place of a quote or a sign of
 * patterns. The service matches the text itself with the objects that the controller returns.
 */
const escapeText = (text: string): string => text.replace(/[^a-z0-9 _:@/-]/gi, ".");
