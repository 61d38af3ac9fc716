/** Words by which a template is found: those of its name, and what engineers say for the same. */
import type { CheckTemplate } from "./template.ts";

/** Each line: words of one meaning. A template with one of them is found by all. */
const SYNONYMS: readonly (readonly string[])[] = [
	["interface", "port", "link", "uplink", "cable", "wiring"],
	["up", "down"],
	["error-disabled", "errdisable", "errdisabled", "err-disabled"],
	["switch", "node", "leaf", "spine", "fabric node"],
	["active", "inactive", "available", "unavailable", "registration", "registered"],
	["controller", "APIC", "cluster"],
	["bridge domain", "BD"],
	["VRF", "context", "private network"],
	["EPG", "endpoint group", "ESG"],
	["endpoint", "host", "server", "IP", "MAC"],
	["contract", "filter", "ACL", "security"],
	["fault", "alarm", "problem", "error"],
	["firmware", "release", "version", "software", "upgrade"],
	["certificate", "key ring", "TLS", "SSL", "expiry", "expires"],
	["export", "exported", "backup", "configuration export", "archive"],
	["clock", "NTP", "time", "synchronized"],
	["BGP", "OSPF", "IS-IS", "neighbor", "neighbour", "peer", "session", "adjacency", "routing"],
	["vPC", "port channel", "LAG", "MLAG", "bundle"],
	["VLAN", "encapsulation", "encap", "pool", "range"],
	["power supply", "PSU", "power"],
	["fan tray", "fan", "cooling"],
	["file system", "disk", "storage", "full"],
	["subnet", "gateway", "prefix"],
	["L3Out", "external", "outside network"],
	["health", "score"],
	["attachable access entity profile", "AEP", "AAEP"],
	["CRC", "input errors", "counters"],
];

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** A whole word, also in the plural. */
const buildWordPattern = (words: readonly string[]): RegExp =>
	new RegExp(`(?<![a-z])(?:${words.map(escapePattern).join("|")})(?:e?s)?(?![a-z])`, "i");
const PATTERNS = SYNONYMS.map((words) => ({ words, pattern: buildWordPattern(words) }));

/** The template's own words, then those that mean the same as a word of its name. */
export const listKeywords = ({ name, keywords }: Pick<CheckTemplate, "name" | "keywords">): string[] => [
	...new Set([...keywords, ...PATTERNS.flatMap(({ words, pattern }) => (pattern.test(name) ? words : []))]),
];

const listClasses = ({ query }: CheckTemplate): unknown[] =>
	query.flow_data.nodes.map(({ data }) => data.className ?? "");

/** Whether each word of the search occurs in the template; an empty search finds all. */
export function matchesSearch(template: CheckTemplate, search: string): boolean {
	const { key, name, finds, description, sources } = template;
	const texts = [key, name, finds, description, ...sources, ...listKeywords(template), ...listClasses(template)];
	const text = texts.join(" ").toLowerCase();
	return search
		.toLowerCase()
		.split(/\s+/)
		.every((word) => text.includes(word));
}
