/** The post-processor `join`: objects of several classes in one row. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { className, defineChoice, fieldPath } from "./fields.ts";
import { JOIN_LIMITS, JOIN_MANY, JOIN_RELATIONS, JOIN_RESERVED } from "./values.ts";

/** An object without other keys than those of the shape. */
function defineClosed<T extends z.ZodRawShape>(shape: T) {
	const known = Object.keys(shape).join(", ");
	return z.strictObject(shape, {
		error: (issue) => {
			if (issue.code !== "unrecognized_keys") return "Must be an object.";
			return `Has unknown keys: ${(issue.keys ?? []).join(", ")}. Remove them. Known keys are: ${known}.`;
		},
	});
}

const AS_ERROR = "Must be a name of letters, digits, _, : and -, such as vrf.";
const attachedName = z
	.string({ error: "A name is required, under which the row has the value." })
	.max(JOIN_LIMITS.nameLength, { error: AS_ERROR, abort: true })
	.regex(/^(?!__proto__$)[A-Za-z_][\w:-]{0,99}$/, { error: AS_ERROR })
	.refine((name) => !JOIN_RESERVED.includes(name), {
		error: `${JOIN_RESERVED.join(", ")} are the row's own. Choose another name.`,
	});
const attachedField = defineClosed({ field: fieldPath, as: attachedName });

const attachment = defineClosed({
	class: className,
	/** How an object of the class is found for one of the base. */
	by: z.union([z.enum(JOIN_RELATIONS), defineClosed({ base: fieldPath, other: fieldPath })], {
		error: `Must be ${JOIN_RELATIONS.join(", ")}, or {"base": …, "other": …} with a field of each class.`,
	}),
	fields: defineList(attachedField, {
		max: JOIN_LIMITS.fields,
		error: "Must be a list of fields.",
		tooMany: `Must have at most ${JOIN_LIMITS.fields} fields.`,
	}).optional(),
	many: defineChoice(JOIN_MANY),
	/** Whether a row of the base without such an object is dropped. */
	inner: z.boolean({ error: "Must be true or false." }).default(false),
});

const attachments = defineList(attachment, {
	max: JOIN_LIMITS.attachments,
	error: "Must be a list of classes to attach.",
	tooMany: `Must attach at most ${JOIN_LIMITS.attachments} classes. Use fewer, or several queries.`,
}).min(1, { error: "Needs at least one class to attach." });

/** One row of `base` for each of its objects. A count without fields is named `count_<class>`. */
export const joinConfig = defineClosed({ base: className, attach: attachments })
	.superRefine(({ attach }, context) => {
		const names = new Set<string>();
		for (const [at, { class: attached, fields = [], many }] of attach.entries()) {
			if (fields.length === 0 && many !== "count") {
				const message = "Needs at least one field. Only a count can do without.";
				context.addIssue({ code: "custom", path: ["attach", at, "fields"], message });
			}
			for (const [i, { as }] of listAttached(attached, fields).entries()) {
				if (names.has(as)) {
					const message = `Another field is named ${as}. Choose another name.`;
					const place = fields.length === 0 ? [] : [i, "as"];
					context.addIssue({ code: "custom", path: ["attach", at, "fields", ...place], message });
				}
				names.add(as);
			}
		}
	})
	.transform(({ base, attach }) => ({
		base,
		attach: attach.map(({ fields, ...rest }) => ({ ...rest, fields: listAttached(rest.class, fields) })),
	}));

function listAttached(attached: string, fields: readonly z.output<typeof attachedField>[] = []) {
	return fields.length > 0 ? [...fields] : [{ field: "dn", as: `count_${attached}` }];
}
