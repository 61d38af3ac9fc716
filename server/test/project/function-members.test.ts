/**
 * Parameters in areas whose type has functions as members: records of callbacks are refused, data
 * structures are named below. Also proves that it detects violations.
 */
import { fileURLToPath } from "node:url";
import type { Node, ParameterDeclaration, SourceFile } from "typescript/unstable/ast";
import * as is from "typescript/unstable/ast/is";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API, type NodeHandle, type Project, SignatureKind, type Type } from "typescript/unstable/sync";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Data structures, by the type or the factory that declares their functions. */
const STRUCTURES: Readonly<Record<string, string>> = {
	Canonicalizer: "writes values in one spelling into a buffer of its own",
	CompareRules: "compiled rules of a comparison",
	ConnectionKind: "one of the two kinds of stored connections",
	Content: "a snapshot whose texts are read on demand",
	FrontCoded: "names that share their beginnings, by place",
	Graph: "a canvas with its index",
	ImageBuilding: "an image that a worker thread is building",
	IntColumn: "a column of numbers that grows",
	Keeper: "the compiled checks of a step's rows",
	Model: "the class model with its index",
	ModelFacts: "facts of the class model, computed on demand",
	NameMatch: "a compiled matching by name",
	NameReader: "compiled formats of relative names",
	Names: "the names of a segment with their index",
	Objects: "the objects of a snapshot with their index",
	PackSource: "packs with their cache",
	PackTexts: "texts of packs by number, on demand",
	ParsedYaml: "a YAML document with the lines of its fields",
	PreparedCapture: "a result that holds the turn of its history",
	ReferenceKind: "one of the kinds of stored references",
	RowMatcher: "rows with their index",
	RowReader: "a cursor over rows",
	RowView: "a row that is read on demand",
	StoredRecord: "a class whose forms of DN are read on demand",
	TextColumn: "a column of texts that grows",
	Texts: "a column of texts",
	Writer: "a sink of rows",
	createFileErrors: "a collection of errors",
	createKnownProperties: "an index of properties",
	createReader: "a cursor over bytes",
	createScanned: "a cursor over scanned JSON",
	createWords: "an index of texts by their bytes",
	createWriter: "a buffer of bytes that grows",
	readSearchIndex: "the index of searches in the class model",
};

/** Libraries, the core, ports of integrations and contracts, which are outside of the areas. */
const OUTSIDE = /\/node_modules\/|\/server\/src\/core\/|\/integrations\/[^/]+\/port[\w-]*\.ts$|\/contracts\//;
const CONTEXT = /\/server\/src\/context\.ts$/;
const AREA = /\/server\/src\/areas\/(.+)$/;

/** Calls `work` with the project of a configuration, and ends the compiler after it. */
function withProject<T>(config: string, files: Readonly<Record<string, string>> | null, work: (p: Project) => T): T {
	const api = new API(files === null ? { cwd: root } : { cwd: "/", fs: createVirtualFileSystem(files) });
	try {
		const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
		if (project === undefined) throw new Error(`There is no project ${config}`);
		return work(project);
	} finally {
		api.close();
	}
}

/** The parameters of a file that have a type of their own, those of function types included. */
function listParameters(file: SourceFile): ParameterDeclaration[] {
	const found: ParameterDeclaration[] = [];
	const visit = (node: Node): void => {
		if (is.isParameterDeclaration(node) && node.type !== undefined) found.push(node);
		node.forEachChild(visit);
	};
	file.forEachChild(visit);
	return found;
}

/** The name of the nearest type, constant or function around a declaration. */
function getOwner(declaration: Node | undefined): string {
	for (let node = declaration?.parent; node !== undefined; node = node.parent) {
		if (is.isTypeAliasDeclaration(node) || is.isInterfaceDeclaration(node)) return node.name.text;
		if (is.isFunctionDeclaration(node)) return node.name?.text ?? "";
	}
	return "";
}

const isOutside = ({ path }: NodeHandle): boolean => OUTSIDE.test(path) || !path.endsWith(".ts");

/** Function members of types, each type looked into once. */
class FunctionMembers {
	readonly #project: Project;
	readonly #known = new Map<number, readonly string[]>();
	readonly #functions = new Map<number, boolean>();

	constructor(project: Project) {
		this.#project = project;
	}

	/** The members of a type that are functions, as `Owner.member`; empty for a function. */
	list(type: Type): readonly string[] {
		if (type.isUnionType()) return type.getTypes().flatMap((part) => this.list(part));
		if (!type.isObjectType() && !type.isIntersectionType()) return [];
		const known = this.#known.get(type.id);
		if (known !== undefined) return known;
		const found = this.#isAside(type) || this.#isFunction(type) ? [] : this.#find(type);
		this.#known.set(type.id, found);
		return found;
	}

	/** Whether the type is the context or is named outside; `Pick<…>` and the like have no name. */
	#isAside(type: Type): boolean {
		const { name = "__type", declarations = [] } = type.getSymbol() ?? {};
		return name !== "__type" && declarations.every((one) => isOutside(one) || CONTEXT.test(one.path));
	}

	#find(type: Type): readonly string[] {
		const { checker } = this.#project;
		const members = checker
			.getPropertiesOfType(type)
			.filter(({ declarations: [first] }) => first === undefined || !(isOutside(first) || CONTEXT.test(first.path)));
		const types = checker.getTypeOfSymbol(members);
		return members.flatMap((member, i) => {
			const of = types[i];
			if (of === undefined || !this.#isFunction(of)) return [];
			const [first] = member.declarations;
			// Only members of mapped types have no declaration.
			const owner = first === undefined ? type.getAliasSymbol()?.name : getOwner(first.resolve());
			return [`${owner ?? ""}.${member.name}`];
		});
	}

	#isFunction(type: Type): boolean {
		if (type.isUnionType()) return type.getTypes().some((part) => this.#isFunction(part));
		if (!type.isObjectType()) return false;
		const known = this.#functions.get(type.id);
		if (known !== undefined) return known;
		const found =
			type.getSymbol()?.declarations.every(isOutside) !== true &&
			this.#project.checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
		this.#functions.set(type.id, found);
		return found;
	}
}

interface Taken {
	/** `file:line` of a parameter, from the folder of the areas. */
	readonly place: string;
	/** `Owner.member` of each function. */
	readonly members: readonly string[];
}

/** The parameters of the areas whose type has functions as members. */
function listTaken(project: Project): Taken[] {
	const { program, checker } = project;
	const functions = new FunctionMembers(project);
	return program.getSourceFileNames().flatMap((name) => {
		const file = AREA.test(name) ? program.getSourceFile(name) : undefined;
		if (file === undefined) return [];
		const parameters = listParameters(file);
		return checker.getTypeAtLocation(parameters).flatMap((type, i) => {
			const members = type === undefined ? [] : functions.list(type);
			if (members.length === 0) return [];
			const line = file.text.slice(0, parameters[i]?.getStart(file)).split("\n").length;
			return [{ place: `${AREA.exec(name)?.[1]}:${line}`, members }];
		});
	});
}

const getStructure = (member: string): string => member.split(".")[0] ?? "";

/** Each parameter that takes a function of none of the structures, as a sentence. */
function findViolations(taken: readonly Taken[], structures: readonly string[]): string[] {
	return taken.flatMap(({ place, members }) => {
		const [first] = members.filter((member) => !structures.includes(getStructure(member)));
		return first === undefined ? [] : [`${place} takes the function ${first}`];
	});
}

/** The violations of one file of an area, beside a context and a port. */
function findPlanted(text: string): string[] {
	const files = {
		"/server/tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noLib: true }, include: ["src"] }),
		"/server/src/lib.d.ts": `
			interface Array<T> {} interface Boolean {} interface Function {} interface IArguments {} interface Number {}
			interface Object {} interface RegExp {} interface String {}
			interface CallableFunction {} interface NewableFunction {}
			type Pick<T, K extends keyof T> = { [P in K]: T[P] };
			type ReturnType<T> = T extends () => infer R ? R : never;
		`,
		"/server/src/context.ts": "export interface Context { now(): number }",
		"/server/src/core/ports/log.ts": "export interface Log { warn(text: string): void }",
		"/server/src/areas/planted.ts": text.trim(),
	};
	return withProject("/server/tsconfig.json", files, (project) => findViolations(listTaken(project), ["Model"]));
}

describe("parameters in areas", () => {
	it("are detected with each form of a record of callbacks", () => {
		const found = findPlanted(`
			import type { Context } from "../context.ts";
			interface Lookups { find(id: string): string }
			interface Parts { readonly id: string; readonly report?: ((line: string) => void) | undefined }
			type Some = { [K in "find"]: Lookups[K] };
			type Made = ReturnType<typeof createParts>;
			function createParts() { return { add: (id: string) => id }; }
			function read(lookups: Lookups) {}
			function readOne({ find }: Pick<Lookups, "find">) {}
			const readAll = (ctx: Context, parts: Parts) => {};
			function readSome(some: Some | null) {}
			function readMade(made: Made & { readonly id: string }) {}
			function readInline(given: { now: () => number }) {}
			type Read = (lookups: Lookups) => void;
			class Reader { constructor(lookups: Lookups) {} }
		`);
		expect(found).toEqual([
			"planted.ts:7 takes the function Lookups.find",
			"planted.ts:8 takes the function Lookups.find",
			"planted.ts:9 takes the function Parts.report",
			"planted.ts:10 takes the function Some.find",
			"planted.ts:11 takes the function createParts.add",
			"planted.ts:12 takes the function readInline.now",
			"planted.ts:13 takes the function Lookups.find",
			"planted.ts:14 takes the function Lookups.find",
		]);
	});

	it("may be the context, callbacks, plain data, ports and structures", () => {
		const found = findPlanted(`
			import type { Context } from "../context.ts";
			import type { Log } from "../core/ports/log.ts";
			interface Model { find(name: string): number }
			interface Plain { readonly id: string; readonly model: Model }
			function read(ctx: Context, log: Log, model: Model, plain: Plain, callback: (id: string) => void) {}
			function readPart({ now }: Pick<Context, "now">, log: Log | null, id: string) {}
		`);
		expect(found).toEqual([]);
	});

	it("have no functions as members, except for data structures", () => {
		const structures = Object.keys(STRUCTURES);
		const taken = withProject(`${root}server/tsconfig.json`, null, listTaken);
		expect(findViolations(taken, structures)).toEqual([]);
		const used = new Set(taken.flatMap(({ members }) => members.map(getStructure)));
		expect(structures.filter((name) => !used.has(name))).toEqual([]);
		expect(structures.length).toBeLessThanOrEqual(35);
	});
});
