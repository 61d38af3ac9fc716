/**
 * Properties in the documents' format: shared ones, those of the controller's classes, synthetic
 * ones.
 */
import type { PropType } from "../controller/model/types.ts";
import { hashText } from "../controller/random.ts";
import type { Node } from "./graph.ts";
import { buildPropertyName } from "./words.ts";

/** What a property is, before it is written down. */
export interface Property {
	readonly name: string;
	readonly baseType: string;
	readonly modelType: string;
	readonly uitype: string;
	readonly comment: string | null;
	readonly label: string;
	readonly naming: boolean;
	readonly configurable: boolean;
	readonly secure?: boolean;
	readonly initial?: string | number;
	readonly values?: readonly (readonly [number: string, localName: string, label: string])[];
	readonly validators?: readonly unknown[];
	readonly like?: string;
	readonly hints?: readonly string[];
	readonly since: string;
	/** The id under which every class publishes it; null if each class has an id of its own. */
	readonly globalId: number | null;
}

const RULES = [
	{ min: 0, max: 128, regexs: [{ regex: "^[a-zA-Z0-9_.:-]+$", type: "include" }] },
	{ min: 1, max: 64, regexs: [{ regex: "^[a-zA-Z0-9_.:-]+$", type: "include" }] },
	{ min: 0, max: 128, regexs: [{ regex: "^[a-zA-Z0-9\\\\!#$%()*,-./:;@ _{|}~?&+]+$", type: "include" }] },
] as const;

const enumerateNames = (...names: string[]) =>
	names.map((name, at) => [String(at), name, capitalizeWord(name)] as const);
const capitalizeWord = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const STATUS = [
	["2", "created", "Created"],
	["4", "modified", "Modified"],
	["8", "deleted", "Deleted"],
] as const;

function createSharedProperty(
	name: string,
	baseType: string,
	modelType: string,
	uitype: string,
	comment: string | null,
	more: Partial<Property> = {},
): Property {
	return {
		name,
		baseType,
		modelType,
		uitype,
		comment,
		label: name,
		naming: false,
		configurable: false,
		since: "1.0(1e)-",
		globalId: hashText(name) % 100_000,
		...more,
	};
}

/** Properties that stand in nearly every class, the same everywhere. */
const SHARED: readonly Property[] = [
	createSharedProperty(
		"annotation",
		"string:Basic",
		"mo:Annotation",
		"string",
		"User annotation. Suggested format orchestrator:value",
		{
			label: "Annotation",
			configurable: true,
			validators: [RULES[0]],
			since: "3.2(1l)-",
			globalId: null,
		},
	),
	createSharedProperty(
		"childAction",
		"scalar:Bitmask32",
		"mo:ModificationChildAction",
		"bitmask",
		"Delete or ignore. For internal use only.",
		{
			values: [
				["16384", "deleteAll", "Delete All"],
				["8192", "ignore", "Ignore"],
				["4096", "deleteNonPresent", "Delete Non Present"],
			],
		},
	),
	createSharedProperty(
		"dn",
		"reference:BinRef",
		"reference:BinRef",
		"auto",
		"The distinguished name: the way from the top of the tree.",
	),
	createSharedProperty("extMngdBy", "scalar:Bitmask32", "mo:ExtMngdByType", "bitmask", null, {
		label: "Managed By",
		initial: "undefined",
		values: [
			["0", "undefined", "Undefined"],
			["1", "msc", "MSC"],
		],
		since: "3.2(1l)-",
		globalId: null,
	}),
	createSharedProperty("lcOwn", "scalar:Enum8", "mo:Owner", "enum", "Where the object comes from.", {
		initial: "local",
		values: enumerateNames("local", "policy", "replica", "resolveOnBehalf", "implicit"),
	}),
	createSharedProperty("modTs", "scalar:Date", "mo:TStamp", "auto", "When the object was last changed.", {
		initial: "never",
		values: [["0", "never", "Never"]],
	}),
	createSharedProperty(
		"rn",
		"reference:BinRN",
		"reference:BinRN",
		"auto",
		"The relative name: the last part of the distinguished name.",
	),
	createSharedProperty(
		"status",
		"scalar:Bitmask32",
		"mo:ModificationStatus",
		"bitmask",
		"The upgrade status. For internal use only.",
		{
			values: STATUS,
		},
	),
	createSharedProperty("uid", "scalar:Uint16", "scalar:Uint16", "auto", "Who made the object."),
	createSharedProperty("userdom", "string:Basic", "mo:UserDom", "string", null, {
		configurable: true,
		initial: "all",
		validators: [{ min: 0, max: 1024, regexs: [{ regex: "^[a-zA-Z0-9_.:-]+$", type: "include" }] }],
		since: "5.0(1k)-",
	}),
];
const SHARED_NAMES = new Set(SHARED.map(({ name }) => name));

/** Types of synthetic properties, in turn. The last one has an invalid regular expression. */
const KINDS: readonly ((label: string, seed: number) => Partial<Property>)[] = [
	() => ({ baseType: "string:Basic", modelType: "naming:Descr", uitype: "string", validators: [RULES[2]] }),
	(label) => ({
		baseType: "scalar:Enum8",
		modelType: `made:${label.replace(/ /g, "")}`,
		uitype: "enum",
		initial: "unspecified",
		values: enumerateNames("unspecified", "enabled", "disabled", label.split(" ")[0]?.toLowerCase() ?? "other"),
	}),
	(_, seed) => ({
		baseType: "scalar:Uint16",
		modelType: "made:Count",
		uitype: "number",
		initial: seed % 3 === 0 ? seed % 1000 : String(seed % 1000),
		validators: [{ min: 0, max: 1000, regexs: [] }],
	}),
	() => ({
		baseType: "scalar:Bool",
		modelType: "scalar:Bool",
		uitype: "boolean",
		initial: "no",
		values: [
			["false", "no", "No"],
			["true", "yes", "Yes"],
		],
	}),
	() => ({ baseType: "scalar:Uint64", modelType: "made:Counter", uitype: "auto" }),
	() => ({ baseType: "address:Ip", modelType: "address:Ip", uitype: "auto", hints: ["validateAsIPv4OrIPv6"] }),
	() => ({
		baseType: "address:MAC",
		modelType: "address:MAC",
		uitype: "auto",
		initial: "280487012409856",
		hints: ["validateAsMAC"],
	}),
	(label) => ({
		baseType: "scalar:Bitmask16",
		modelType: `made:${label.replace(/ /g, "")}Flags`,
		uitype: "bitmask",
		values: [
			["1", "first", "First"],
			["2", "second", "Second"],
			["4", "third", "Third"],
		],
	}),
	() => ({ baseType: "reference:BinRef", modelType: "reference:BinRef", uitype: "auto" }),
	() => ({ baseType: "string:Password", modelType: "made:Secret", uitype: "password", secure: true }),
	() => ({
		baseType: "string:Basic",
		modelType: "made:Pattern",
		uitype: "string",
		validators: [{ regex: "^(?P<name>[a-z]+", type: "include" }],
	}),
];

/** A class's global ids of its own; those that all classes share lie below. */
const buildGlobalId = ({ serial }: Node, at: number): number => 100_000 + serial * 64 + at;
/** Where the ids of what each class publishes under one of its own begin among them. */
const EACH = 32;
export const getGlobalId = ({ globalId }: Property, node: Node, at: number): number =>
	globalId ?? buildGlobalId(node, EACH + at);

/**
 * All properties of a class, by name.
 * @param find the class of a name
 */
export function getProperties(
	node: Node,
	seed: number,
	count: number,
	find: (name: string) => Node | undefined,
): Property[] {
	const found = new Map<string, Property>(SHARED.map((property) => [property.name, property]));
	if (node.info !== null) {
		for (const { name, type, naming, configurable, initial } of node.info.props.values()) {
			if (SHARED_NAMES.has(name)) continue;
			found.set(name, {
				...describeType(type, initial),
				...createNamedProperty(name),
				naming,
				configurable,
				since: "1.0(1e)-",
			});
		}
	} else {
		const own = count - SHARED.length - node.naming.length;
		const inherited = listInheritors(node, seed, Math.floor(own / 2), find);
		for (const property of generateProperties(node, seed, own - inherited.length)) found.set(property.name, property);
		for (const property of inherited) found.set(property.name, property);
	}
	for (const name of node.naming) {
		const known =
			found.get(name) ?? createSharedProperty(name, "string:Basic", "naming:Name", "string", "The name of the object.");
		found.set(name, {
			...known,
			label: capitalizeWord(name),
			naming: true,
			globalId: null,
			configurable: node.configurable,
			validators: [RULES[1]],
		});
	}
	return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What super classes add to what they inherit themselves. */
const ADDED_BY_SUPER = 2;

/** Properties of synthetic super classes, repeated verbatim in all of their sub classes. */
function listInheritors(node: Node, seed: number, most: number, find: (name: string) => Node | undefined): Property[] {
	const above = find(node.supers[0] ?? "");
	if (above === undefined || above.info !== null) return [];
	const inherited = listInheritors(above, seed, most, find);
	return [...inherited, ...generateProperties(above, seed, Math.min(ADDED_BY_SUPER, most - inherited.length))];
}

function* generateProperties(node: Node, seed: number, own: number): Generator<Property> {
	const start = hashText(node.name, seed);
	for (let i = 0; i < own; i++) {
		const name = buildPropertyName((start + i * 37) >>> 3);
		const label = name.replace(/[A-Z]/g, " $&").replace(/^./, (first) => first.toUpperCase());
		const kind = KINDS[(start + i) % 53 === 0 ? KINDS.length - 1 : (start + i) % (KINDS.length - 1)] ?? KINDS[0];
		yield {
			baseType: "string:Basic",
			modelType: "string:Basic",
			uitype: "string",
			...kind?.(label, start + i),
			name,
			label,
			comment: (start + i) % 8 === 0 ? null : `The ${label.toLowerCase()} of the ${node.label.toLowerCase()}.`,
			naming: false,
			configurable: node.configurable && i % 2 === 0,
			...((start + i) % 14 === 0 ? { like: `${node.supers[0] ?? "mo:TopProps"}:${name}` } : {}),
			globalId: buildGlobalId(node, i),
			since: ["1.0(1e)-", "3.2(1l)-", "4.2(6d)-4.2(7w),5.1(1h)-"][(start + i) % 3] ?? "1.0(1e)-",
		};
	}
}

const createNamedProperty = (name: string) => ({ name, label: name, comment: null, globalId: null });

/** The controller's own types, as the documents put them. */
function describeType(
	type: PropType,
	initial: string,
): Pick<Property, "baseType" | "modelType" | "uitype"> & Partial<Property> {
	const start = initial === "" ? {} : { initial };
	const values = (names: Iterable<readonly [string, number]>) =>
		[...names].map(([name, value]) => [String(value), name, capitalizeWord(name)] as const);
	switch (type.kind) {
		case "number":
			return {
				baseType: "scalar:Uint32",
				modelType: "scalar:Uint32",
				uitype: "number",
				...start,
				...(type.names.size > 0 ? { values: values(type.names) } : {}),
			};
		case "bool":
			return { baseType: "scalar:Bool", modelType: "scalar:Bool", uitype: "boolean", ...start };
		case "enum":
			return {
				baseType: "scalar:Enum8",
				modelType: "lab:Enum",
				uitype: "enum",
				values: values(type.literals),
				...start,
			};
		case "mask":
			return {
				baseType: "scalar:Bitmask32",
				modelType: "lab:Mask",
				uitype: "bitmask",
				values: values(type.bits),
				...start,
			};
		case "date":
			return { baseType: "scalar:Date", modelType: "mo:TStamp", uitype: "auto", ...start };
		default:
			return { baseType: "string:Basic", modelType: "string:Basic", uitype: "string", ...start };
	}
}
