/** Collects the records of a model, as columns of numbers, for the build of its image. */
import {
	countInternedBytes,
	createIntColumn,
	createInternTable,
	createIntTable,
	createTextColumn,
	type IntColumn,
} from "./columns.ts";
import type { ClassEdges, ClassFacts } from "./document.ts";
import { readOutline } from "./outline.ts";
import type { StoredRecord } from "./records.ts";
import type { Word } from "./scanned.ts";
import { createWords } from "./words.ts";

export interface Edges {
	readonly owner: IntColumn;
	readonly value: IntColumn;
}

const createEdges = (): Edges => ({ owner: createIntColumn(), value: createIntColumn() });

export type ClassOutline = ReturnType<typeof copyOutline>;

/** Everything that records bring, in the order of their arrival. */
export type Collected = ReturnType<typeof createCollected>;

export function createCollected() {
	const strings = createInternTable();
	return {
		strings,
		/** By the name of a class: its number in the order of discovery. */
		ids: new Map<string, number>(),
		order: [] as string[],
		outlines: new Map<number, ClassOutline>(),
		heads: createTextColumn(),
		definitions: countInternedBytes(),
		/** By the number that stands for its line among the records. */
		definitionIds: [] as number[],
		/** Names and labels of properties: their numbers. */
		words: createWords(strings.id),
		definition: { name: createIntColumn(), label: createIntColumn(), flags: createIntColumn() },
		labels: [] as string[],
		propertyNames: [] as string[],
		headEdges: createEdges(),
		propertyEdges: createEdges(),
		contains: createEdges(),
		supers: createEdges(),
		subs: createEdges(),
		naming: createEdges(),
		to: createRelations(),
		from: createRelations(),
		rn: { owner: createIntColumn(), prefix: createIntColumn(), child: createIntColumn() },
		/** Forms of DN, those of a class one after another. */
		forms: createTextColumn(),
		formRuns: { owner: createIntColumn(), first: createIntColumn(), count: createIntColumn() },
		/** By the serial number of a word: the class of that name, and the text. */
		idsBySerial: createIntTable(),
		stringIds: createIntTable(),
	};
}

export interface Relations {
	readonly owner: IntColumn;
	readonly via: IntColumn;
	readonly end: IntColumn;
}

function createRelations(): Relations {
	return { owner: createIntColumn(), via: createIntColumn(), end: createIntColumn() };
}

/** The number of a class, in the order of discovery until all names are known. */
function getId({ ids, order }: Collected, name: string): number {
	const known = ids.get(name);
	if (known !== undefined) return known;
	ids.set(name, order.length);
	return order.push(name) - 1;
}

function getClassId(collected: Collected, { serial, flat }: Word): number {
	const known = collected.idsBySerial.get(serial);
	if (known >= 0) return known;
	const id = getId(collected, flat);
	collected.idsBySerial.set(serial, id);
	return id;
}

function getStringId({ stringIds, strings }: Collected, { serial, text }: Word): number {
	const known = stringIds.get(serial);
	if (known >= 0) return known;
	const id = strings.id(text);
	stringIds.set(serial, id);
	return id;
}

/** Of a class whose record comes twice, the first counts. */
export function addRecord(collected: Collected, record: StoredRecord): void {
	const { facts, edges } = record;
	const id = getId(collected, facts.name);
	if (collected.outlines.has(id)) return;
	collected.outlines.set(id, copyOutline(facts));
	addEdge(collected.headEdges, id, collected.heads.push(record.head));
	addProperties(collected, id, record);
	addClasses(collected, collected.contains, id, edges.contains);
	addOwners(collected, collected.contains, id, edges.containedBy);
	addClasses(collected, collected.supers, id, edges.supers);
	addOwners(collected, collected.subs, id, edges.supers.slice(0, 1));
	addClasses(collected, collected.subs, id, edges.subs);
	for (const name of facts.identifiedBy) addEdge(collected.naming, id, collected.strings.id(name));
	addRelations(collected, collected.to, id, edges.to);
	addRelations(collected, collected.from, id, edges.from);
	addPrefixes(collected, id, edges.rnMap);
	addForms(collected, id, record);
}

// Small functions: one with all of these loops would be compiled again and again, whenever a list
// is of a kind that it has not met.
function addClasses(collected: Collected, edges: Edges, id: number, words: readonly Word[]): void {
	for (let at = 0; at < words.length; at++) addEdge(edges, id, getClassId(collected, words[at] as Word));
}

function addOwners(collected: Collected, edges: Edges, id: number, words: readonly Word[]): void {
	for (let at = 0; at < words.length; at++) addEdge(edges, getClassId(collected, words[at] as Word), id);
}

function addRelations(collected: Collected, column: Relations, id: number, relations: ClassEdges<Word>["to"]): void {
	for (let at = 0; at < relations.length; at++) {
		const [via, end] = relations[at] as ClassEdges<Word>["to"][number];
		column.owner.push(id);
		column.via.push(getClassId(collected, via));
		column.end.push(getClassId(collected, end));
	}
}

function addPrefixes(collected: Collected, id: number, rnMap: ClassEdges<Word>["rnMap"]): void {
	for (let at = 0; at < rnMap.length; at++) {
		const [prefix, child] = rnMap[at] as ClassEdges<Word>["rnMap"][number];
		collected.rn.owner.push(id);
		collected.rn.prefix.push(getStringId(collected, prefix));
		collected.rn.child.push(getClassId(collected, child));
	}
}

function addProperties(collected: Collected, id: number, { properties, line }: StoredRecord): void {
	const { definitionIds, propertyEdges } = collected;
	for (let at = 0; at < properties.length; at++) {
		const number = properties[at] as number;
		const found = definitionIds[number] ?? getDefinitionId(collected, line(at));
		definitionIds[number] = found;
		addEdge(propertyEdges, id, found);
	}
}

function addForms({ forms, formRuns }: Collected, id: number, { eachForm }: StoredRecord): void {
	const first = forms.length;
	eachForm(forms.copy);
	formRuns.owner.push(id);
	formRuns.first.push(first);
	formRuns.count.push(forms.length - first);
}

function getDefinitionId(collected: Collected, line: Buffer): number {
	const { id, fresh } = collected.definitions.id(line);
	if (fresh) addDefinition(collected, line);
	return id;
}

function addDefinition({ words, definition, labels, propertyNames, strings }: Collected, line: Buffer): void {
	const { name, label, flags } = readOutline(strings.id, words, line);
	definition.name.push(name);
	definition.label.push(label);
	definition.flags.push(flags);
	labels.push(strings.text(label));
	propertyNames.push(strings.text(name));
}

function addEdge({ owner, value }: Edges, from: number, to: number): void {
	owner.push(from);
	value.push(to);
}

/**
 * Copies the fields that the end of the build needs, so that the rest of the facts can be freed.
 */
const copyOutline = ({ name: _name, pkg: _pkg, identifiedBy: _identifiedBy, ...outline }: ClassFacts) => outline;
