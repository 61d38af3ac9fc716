/**
 * Class documents in the publishing site's format (`jsonmeta`) from the generated graph, with every
 * key and oddity of real ones: missing comments and versions, numeric defaults, a pseudo value for
 * the default, labels that end in a space, unknown keys, and tens of thousands of DN formats.
 */
import { hashText } from "../controller/random.ts";
import { type Graph, getPrefix, type Node, qualifyName, splitClassName, TOP } from "./graph.ts";
import { getGlobalId, getProperties, type Property } from "./properties.ts";

export interface DocumentOptions {
	readonly seed: number;
	/** Properties of a made-up class. */
	readonly properties: number;
	/** Forms of DN of annotations and tags, at most. */
	readonly dnFormats: number;
	/** 0 for the newest version. Older versions lack classes and properties, and rename some. */
	readonly age: number;
}

/** The two whose documents are the largest of all. */
const HUGE = new Set(["tagAnnotation", "tagTag"]);
/** Forms of DN of any other class, at most. */
const DN_FORMATS = 87;
const FLAGS =
	"isNxosConverged isDeprecated isHidden isEncrypted isExportable isPersistent isSubjectToQuota isObservable hasStats isStat isFaultable isDomainable isHealthScorable shouldCollectHealthStats hasEventRules apicNxProcessing".split(
		" ",
	);
const USUALLY = new Set(["isExportable", "isPersistent", "isObservable", "isFaultable", "isHealthScorable"]);

export interface Library {
	/** The document of a class, or null where this version has none. */
	document(name: string, options: DocumentOptions): object | null;
	/** Whether the version of this age has one. */
	isPublished(name: string, age: number): boolean;
}

export function createLibrary(graph: Graph): Library {
	const dns = new Map<string, string[]>();
	const hosts = () => [...graph.nodes.values()].filter((node) => isHost(graph, node)).map(({ name }) => name);

	/** Every form of DN, up to a limit; parents stand above their children, so that this ends. */
	function dnFormats(node: Node): string[] {
		const known = dns.get(node.name);
		if (known !== undefined) return known;
		if (node.name === TOP || node.abstract) return [];
		const found: string[] = [];
		for (const name of node.parents) {
			const parent = graph.nodes.get(name);
			if (parent === undefined) continue;
			if (name === TOP) found.push(node.rn);
			else for (const dn of dnFormats(parent)) found.push(`${dn}/${node.rn}`);
			if (found.length >= DN_FORMATS) break;
		}
		const kept = found.slice(0, DN_FORMATS);
		dns.set(node.name, kept);
		return kept;
	}

	function commonDns({ rn }: Node, most: number): string[] {
		const found: string[] = [];
		for (const node of graph.nodes.values()) {
			if (graph.common.has(node.name)) continue;
			for (const dn of dnFormats(node)) {
				if (found.length >= most) return found;
				found.push(`${dn}/${rn}`);
			}
		}
		return found;
	}

	function buildDocument(name: string, options: DocumentOptions): object | null {
		const node = graph.nodes.get(name);
		const parts = splitClassName(name);
		if (node === undefined || parts === null || !isPublished(node, options.age)) return null;
		const [classPkg, className] = parts;
		const isCommon = graph.common.has(name);
		const children = [...node.children, ...(isHost(graph, node) ? graph.common : [])];
		// Named here, and published nowhere.
		if (node.info === null && node.serial % 50 === 7) children.push(`gone${className}`);
		const containers = isCommon ? hosts() : [...node.parents, ...node.loops];
		const odd = hashText(name, 7);
		return {
			[qualifyName(name)]: {
				contains: buildKeyedNames(children),
				rnMap: sortEntries(children.map((child) => [buildRnKey(graph, child), qualifyName(child)])),
				identifiedBy: node.naming,
				rnFormat: node.rn,
				containedBy: buildKeyedNames(containers),
				superClasses: node.supers.map(qualifyName),
				subClasses: buildKeyedNames(node.subs),
				...getRelations(node),
				dnFormats: isCommon ? commonDns(node, HUGE.has(name) ? options.dnFormats : DN_FORMATS) : dnFormats(node),
				writeAccess: node.configurable ? ["admin"] : [],
				readAccess: ["admin", "ops"],
				faults:
					odd % 6 === 0 ? { [`F${1000 + (odd % 9000)}`]: `flt${capitalizeWord(classPkg)}${className}Failed` } : {},
				events: getEvents(name, odd),
				stats:
					odd % 40 === 0 ? { [`${classPkg}:${className}Stats5min`]: { comment: ["Counters of five minutes."] } } : {},
				...(odd % 37 === 0 ? {} : { versions: odd % 31 === 5 ? "4.2(6d)-4.2(7w),5.1(1h)-" : "1.0(1e)-" }),
				isAbstract: node.abstract,
				isConfigurable: node.configurable,
				isContextRoot: node.contextRoot,
				...Object.fromEntries(FLAGS.map((flag) => [flag, USUALLY.has(flag)])),
				isDeprecated: odd % 97 === 0,
				healthCollectionSource: "faults",
				abstractionLayer: node.configurable ? "logical" : "regular",
				monitoringPolicySource: "Parent",
				isCreatableDeletable: node.abstract ? "never" : node.configurable ? "always" : "derived",
				platformFlavors: odd % 25 === 0 ? ["apic"] : [],
				classId: String(1000 + node.serial),
				className,
				classPkg,
				featureTag: "",
				moCategory: getCategory(node),
				label: node.label,
				...getComment(node, odd),
				...(odd % 43 === 0 ? { isFutureThing: true } : {}),
				properties: writeProperties(graph, node, options, odd),
			},
		};
	}
	return {
		document: buildDocument,
		isPublished(name, age) {
			const node = graph.nodes.get(name);
			return node !== undefined && isPublished(node, age);
		},
	};
}

/** Whether the version publishes the class: some are in newer or older versions only. */
function isPublished(node: Node, age: number): boolean {
	if (node.info !== null || node.abstract || node.relation !== null) return true;
	if (node.serial % 97 === 13) return age > 0;
	return node.serial % 89 !== 11 || age === 0;
}

const isHost = (graph: Graph, node: Node): boolean =>
	!node.abstract && node.name !== TOP && !graph.common.has(node.name);

function writeProperties(graph: Graph, node: Node, options: DocumentOptions, odd: number): Record<string, unknown> {
	const all = getProperties(node, options.seed, options.properties, (name) => graph.nodes.get(name));
	// An older version lacks the last of some classes.
	const kept =
		options.age > 0 && odd % 11 === 0 ? all.filter(({ name }, at) => at !== all.length - 1 || name === "name") : all;
	return Object.fromEntries(
		kept.map((property, at) => [property.name, writeProperty(property, node, at, options.age)]),
	);
}

function writeProperty(property: Property, node: Node, at: number, age: number): object {
	const { naming, configurable, initial, values, secure = false } = property;
	const pseudo =
		initial === undefined ? [] : [{ value: String(initial), localName: "defaultValue", label: "Default Value " }];
	return {
		...(at % 40 === 39 ? {} : { versions: property.since }),
		...(property.comment === null ? {} : { comment: [property.comment] }),
		isConfigurable: configurable,
		propGlobalId: String(getGlobalId(property, node, at)),
		propLocalId: String(hashText(property.name) % 100_000),
		label: age > 0 && at % 17 === 3 ? `${property.label} (old)` : property.label,
		baseType: property.baseType,
		modelType: property.modelType,
		needsPropDelimiters: property.baseType.startsWith("reference:"),
		uitype: property.uitype,
		createOnly: naming,
		readWrite: configurable && !naming,
		readOnly: !configurable,
		isNaming: naming,
		secure,
		implicit: !configurable,
		mandatory: false,
		isOverride: false,
		isLike: property.like !== undefined,
		...(property.like === undefined ? {} : { likeProp: property.like }),
		...(initial === undefined ? {} : { default: initial }),
		...(values === undefined && pseudo.length === 0
			? {}
			: {
					validValues: [
						...(values ?? []).map(([value, localName, label]) => ({
							value,
							localName,
							label: `${label} `,
							platformFlavors: [],
						})),
						...pseudo.map((value) => ({ ...value, platformFlavors: [] })),
					],
				}),
		...(property.validators === undefined ? {} : { validators: property.validators }),
		...Object.fromEntries((property.hints ?? []).map((hint) => [hint, true])),
		platformFlavors: [],
		isNxosConverged: false,
		isDeprecated: false,
		isHidden: false,
	};
}

function getRelations(node: Node): object {
	const { relation } = node;
	if (relation !== null) {
		return {
			relationInfo: {
				type: relation.named ? "named" : "explicit",
				cardinality: relation.named ? "n-to-1" : "n-to-m",
				fromMo: qualifyName(relation.from),
				fromRelMo: qualifyName(relation.relation),
				toMo: qualifyName(relation.to),
				toRelMo: qualifyName(relation.back),
				enforceable: relation.named,
				resolvable: true,
			},
		};
	}
	return {
		relationTo: sortEntries(node.relationsTo.map((to) => [qualifyName(to.relation), qualifyName(to.to)])),
		relationFrom: sortEntries(node.relationsFrom.map((from) => [qualifyName(from.back), qualifyName(from.from)])),
	};
}

function getComment(node: Node, odd: number): object {
	if (odd % 5 === 0) return {};
	if (odd % 61 === 1) return { comment: ["NA"] };
	const words = node.label.toLowerCase();
	return {
		comment: [`A ${words}, which ${node.configurable ? "people configure" : "the fabric keeps"} for the ${node.name}.`],
	};
}

function getEvents(name: string, odd: number): Record<string, string> {
	const first = 4_000_000 + (odd % 900_000);
	return Object.fromEntries(
		["creation", "modification", "deletion"].map((kind, at) => [`E${first + at}`, `${kind}||${qualifyName(name)}`]),
	);
}

const getCategory = ({ relation, name }: Node): string =>
	relation === null ? "Regular" : relation.relation === name ? "RelationshipToLocal" : "RelationshipFromLocal";

function buildRnKey(graph: Graph, child: string): string {
	const rn = graph.nodes.get(child)?.rn;
	return rn === undefined ? `${child}-` : getPrefix(rn);
}

const capitalizeWord = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const buildKeyedNames = (names: Iterable<string>): Record<string, string> =>
	sortEntries([...new Set(names)].map((name) => [qualifyName(name), ""]));
const sortEntries = (entries: readonly (readonly [string, string])[]): Record<string, string> =>
	Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
