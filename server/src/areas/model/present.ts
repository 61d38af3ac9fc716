/** Classes of a model, versions and personal records as the interface shows them. */
import type {
	ClassRef,
	DnAnswer,
	HierarchyNode,
	Insights,
	ModelVersion,
	PathAnswer,
	Related,
	Relationships,
	SearchHit,
	TablePreference,
	TableTemplate,
	TreeNode,
} from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import { canEdit } from "./policy.ts";
import type { DnPart } from "./rules/dn.ts";
import { buildInsights } from "./rules/insights.ts";
import type { Model } from "./rules/model.ts";
import type { Paths } from "./rules/paths.ts";
import { getAssociations, isContainedIn, type Link, listContainers } from "./rules/relations.ts";
import type { Hit } from "./rules/search.ts";
import { type Branch, listChildren } from "./rules/tree.ts";
import type { PreferenceRow, TemplateRow } from "./sql/personal.ts";
import type { VersionRow } from "./sql/versions.ts";

/** Forms of DN in the detail. */
const DN_FORMATS = 200;
const COMMA = Buffer.from(",");
const END = Buffer.from("]}");

export const presentRef = (model: Model, id: number): ClassRef => ({
	name: model.name(id),
	display_name: model.label(id),
	package: model.pkg(id),
});

/**
 * Put together from JSON that lies ready in the model: nothing is parsed and written anew. Null for
 * classes without a document.
 */
export function presentDetail(model: Model, id: number): Buffer | null {
	const head = model.head(id);
	if (head === null) return null;
	const formats = model.dns(id, 0, DN_FORMATS);
	const more = { dn_format: formats[0] ?? "", dn_formats: formats, dn_format_count: model.dnCount(id) };
	const parts: Buffer[] = [
		// Without the brace that closes it.
		head.subarray(0, -1),
		Buffer.from(`,${JSON.stringify(more).slice(1, -1)},"properties":[`),
	];
	for (const [i, definition] of model.properties(id).entries()) {
		if (i > 0) parts.push(COMMA);
		parts.push(model.definitions.part(definition));
	}
	parts.push(END);
	return Buffer.concat(parts);
}

export function presentNode(model: Model, id: number, common: boolean): TreeNode {
	const child_count = listChildren(model, id, common).length;
	return { ...presentRef(model, id), child_count, has_children: child_count > 0 };
}

export interface Window {
	readonly offset: number;
	readonly limit: number | undefined;
	readonly inherited: boolean;
}

export function presentRelationships(model: Model, id: number, { offset, limit, inherited }: Window): Relationships {
	const part = <T>(all: readonly T[]): readonly T[] =>
		all.slice(offset, limit === undefined ? undefined : offset + limit);
	const link = ({ id: other, by }: Link) => ({
		...presentRef(model, other),
		inherited_from: by < 0 ? null : model.name(by),
	});
	const containers = listContainers(model, id, inherited);
	const contained = isContainedIn(model, id, inherited);
	const associations = getAssociations(model, id, inherited);
	return {
		class_name: model.name(id),
		containers: part(containers).map(link),
		contained_classes: part(contained).map(link),
		associations: part(associations).map((one) => ({
			...link(one),
			direction: one.direction,
			via: model.name(one.via),
		})),
		totals: { containers: containers.length, contained_classes: contained.length, associations: associations.length },
	};
}

export function presentRelated(model: Model, id: number): Related {
	const plain = (ids: Uint32Array, relation: Related["related"][number]["relation"], direction: "to" | "from") =>
		Array.from(ids, (other) => ({ ...presentRef(model, other), relation, direction, via: null }));
	return {
		class_name: model.name(id),
		related: [
			...plain(model.containers(id), "contained_by", "from"),
			...plain(model.contains(id), "contains", "to"),
			...plain(model.supers(id), "super_class", "to"),
			...plain(model.subs(id), "sub_class", "from"),
			...getAssociations(model, id, false).map(({ id: other, direction, via }) => ({
				...presentRef(model, other),
				relation: "association" as const,
				direction,
				via: model.name(via),
			})),
		],
	};
}

export function presentBranch(model: Model, { id, children, truncated }: Branch): HierarchyNode {
	return {
		name: model.name(id),
		display_name: model.label(id),
		children: children.map((child) => presentBranch(model, child)),
		...(truncated ? { truncated } : {}),
	};
}

export function presentInsights(model: Model, id: number): Insights {
	const { dnPattern, exampleDn, method, required, configurable, children, notes } = buildInsights(model, id);
	return {
		class_name: model.name(id),
		dn_pattern: dnPattern,
		example_dn: exampleDn,
		preferred_method: method,
		required_properties: [...required],
		configurable_properties: [...configurable],
		common_children: children.map((child) => presentRef(model, child)),
		notes: [...notes],
	};
}

const roundScore = (score: number): number => Math.round(score * 1000) / 1000;

export function presentHit(
	model: Model,
	packages: readonly string[],
	{ kind, id, property, match, score }: Hit,
): SearchHit {
	const common = { score: roundScore(score), match };
	if (kind === "package") {
		const count = model.image.u32("package.count")[id] ?? 0;
		return {
			type: "package",
			name: packages[id] ?? "",
			...common,
			description: `${count} ${count === 1 ? "class" : "classes"}`,
		};
	}
	if (kind === "property") {
		const name = model.texts("property.names").text(property);
		const definition = model.properties(id).find((one) => model.propertyName(one) === name);
		const label =
			definition === undefined ? "" : model.strings.text(model.image.u32("definition.label")[definition] ?? 0);
		return { type: "property", name, ...common, class: model.name(id), package: model.pkg(id), display_name: label };
	}
	return {
		type: "class",
		name: model.name(id),
		...common,
		display_name: model.label(id),
		package: model.pkg(id),
		description: model.description(id),
	};
}

export function presentDn(model: Model, dn: string, parts: readonly DnPart[], rns: readonly string[]): DnAnswer {
	const strange = parts.findIndex(({ id }) => id < 0);
	const last = parts.at(-1);
	return {
		dn,
		class_name: strange >= 0 || last === undefined ? null : model.name(last.id),
		parts: parts.map(({ rn, id, naming }, at) => ({
			rn,
			dn: rns.slice(0, at + 1).join("/"),
			class: id < 0 ? null : presentRef(model, id),
			rn_format: id < 0 ? "" : model.rn(id),
			naming: { ...naming },
		})),
		warnings:
			strange < 0
				? []
				: [
						strange === 0
							? `Nothing in the model begins with “${rns[0]}”.`
							: `${model.name(parts[strange - 1]?.id ?? 0)} contains nothing that is named like “${rns[strange]}”.`,
					],
	};
}

export function presentPaths(model: Model, from: number, to: number, { length, paths, more }: Paths): PathAnswer {
	return {
		from: model.name(from),
		to: model.name(to),
		length,
		more,
		paths: paths.map((path) =>
			path.map(({ id, way, via }) => ({ ...presentRef(model, id), way, via: via < 0 ? null : model.name(via) })),
		),
	};
}

export const presentVersion = (row: VersionRow): ModelVersion => ({
	id: row.id,
	run_id: row.run_id,
	version_key: row.version_key,
	label: row.label,
	controller_version: row.controller_version,
	source: row.source,
	class_count: row.class_count,
	property_count: row.property_count,
	rel_count: row.rel_count,
	imported_at: row.imported_at.toISOString(),
	imported_by_username: row.imported_by_username,
	is_active: row.is_active,
	is_available: row.is_available,
});

export const presentTemplate = (row: TemplateRow, viewer: Pick<Identity, "userId" | "isAdmin">): TableTemplate => ({
	id: row.id,
	class_name: row.class_name,
	name: row.name,
	description: row.description,
	columns: row.columns,
	filters: row.filters,
	sorting: row.sorting,
	is_shared: row.is_shared,
	is_default: row.is_default,
	created_by: {
		id: row.owner_id,
		username: row.username,
		first_name: row.first_name,
		last_name: row.last_name,
	},
	can_edit: canEdit(viewer, row),
	created_at: row.created_at.toISOString(),
	updated_at: row.updated_at.toISOString(),
});

export const presentPreference = (row: PreferenceRow): TablePreference => ({
	id: row.id,
	class_name: row.class_name,
	visible_columns: row.visible_columns,
	column_order: row.column_order,
	options: row.options,
	created_at: row.created_at.toISOString(),
	updated_at: row.updated_at.toISOString(),
});
