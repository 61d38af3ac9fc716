/**
 * The search of the gallery: each word must be found in a question, itself, as the beginning of a
 * word, or as a synonym.
 */
import type { Question } from "@weft/contracts";

/** Phrases that engineers use for one thing. The longest phrase of a text counts. */
const SYNONYMS: readonly (readonly string[])[] = [
	["bridge domain", "bd", "layer 2 domain"],
	["vrf", "context", "private network", "ctx"],
	["interface", "port", "link", "intf", "ethernet"],
	["endpoint group", "end point group", "epg", "esg", "endpoint security group"],
	["contract", "filter", "acl", "access list", "firewall rule"],
	["endpoint", "end point", "host", "server", "client"],
	["switch", "leaf", "leave", "spine", "node"],
	["controller", "apic"],
	["port channel", "portchannel", "pc", "lag", "bundle"],
	["vpc", "virtual port channel", "mlag"],
	["neighbour", "neighbor", "peer", "adjacency", "adjacencie"],
	["fault", "alarm", "alert", "problem"],
	["licence", "license"],
	["certificate", "cert", "ssl", "tls"],
	["firmware", "software", "release", "version", "image"],
	["backup", "configuration export", "export"],
	["transceiver", "sfp", "optic", "optics", "dom"],
	["subnet", "gateway", "svi", "network"],
	["without", "no", "missing", "lacking", "lack"],
	["unused", "orphan", "orphaned", "not used"],
	["down", "offline", "not up"],
	["user", "account", "login"],
	["change", "modification", "audit", "history"],
	["l3out", "external network", "layer 3 outside"],
	["vm", "virtual machine", "vmware", "vcenter", "hypervisor", "vmm"],
];

/** Words that say nothing about the subject of a question. */
const NOISE: ReadonlySet<string> = new Set([
	..."a all an and any are at by do does for has have how i in is it list many me my".split(" "),
	..."of on or our show the their there to we what when where which who with".split(" "),
]);

/** By the number of words, so that "bridge domain" is found before a part of it. */
const PHRASES = new Map(SYNONYMS.flatMap((group, index) => group.map((phrase) => [phrase, `#${index}`] as const)));
const LONGEST = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(" ").length));

/** The singular of most words: EPGs, switches, policies. */
const getSingular = (word: string): string =>
	PHRASES.has(word) || word.length < 4
		? word
		: word
				.replace(/ies$/, "y")
				.replace(/(ch|sh|ss)es$/, "$1")
				.replace(/([^s])s$/, "$1");

const splitWords = (text: string): string[] =>
	text
		.toLowerCase()
		.split(/[^\p{L}\p{N}.]+/u)
		.filter((word) => word !== "")
		.map((word) => getSingular(word.length === 3 && word.endsWith("s") ? word.slice(0, -1) : word));

/** The words of a text. A sign such as `#3` replaces each phrase of a group of synonyms. */
function listTerms(text: string): string[] {
	const words = splitWords(text);
	const terms: string[] = [];
	for (let at = 0; at < words.length; ) {
		let taken = 0;
		for (let length = Math.min(LONGEST, words.length - at); length > 0 && taken === 0; length--) {
			const sign = PHRASES.get(words.slice(at, at + length).join(" "));
			if (sign === undefined) continue;
			terms.push(sign);
			taken = length;
		}
		if (taken === 0) terms.push(words[at] ?? "");
		at += Math.max(taken, 1);
	}
	return terms;
}

/** The questions that have all words of the text, first those that ask with these words. */
export function searchQuestions(questions: readonly Question[], search: string): Question[] {
	const all = listTerms(search);
	const meant = all.filter((term) => !NOISE.has(term));
	const wanted = meant.length > 0 ? meant : all;
	if (wanted.length === 0) return [...questions];
	const hasAll = (terms: readonly string[]) =>
		wanted.every((term) => terms.some((own) => (term.startsWith("#") ? own === term : own.startsWith(term))));
	const inQuestion = new Set(questions.filter(({ question }) => hasAll(listTerms(question))));
	const elsewhere = questions.filter(
		(one) =>
			!inQuestion.has(one) &&
			hasAll(
				listTerms([one.question, one.description, ...one.categories, ...one.keywords, ...one.classes].join(" | ")),
			),
	);
	return [...inQuestion, ...elsewhere];
}
