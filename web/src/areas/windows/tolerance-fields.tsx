/** Bounds of a query that is compared with tolerance: of its rows, and of attributes. */
import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import type { FieldErrors } from "../../ui/form-drawer.tsx";
import type { DraftItem } from "./draft-item.ts";

interface ToleranceFieldsProps {
	readonly item: DraftItem;
	readonly errors: FieldErrors;
	/** Place of the item in the messages, such as `items.0`. */
	readonly path: string;
	onChange(item: DraftItem): void;
}

const PERCENT = { type: "number", min: 0, step: "any" } as const;

export function ToleranceFields({ item, errors, path, onChange }: ToleranceFieldsProps) {
	const { count = {}, attributes = {} } = item.tolerance ?? {};
	const set = (tolerance: NonNullable<DraftItem["tolerance"]>) => onChange({ ...item, tolerance });
	const setCount = (name: "max_loss_percent" | "max_gain_percent", text: string) => {
		const { [name]: _, ...rest } = count;
		set({ attributes, count: text === "" ? rest : { ...rest, [name]: Number(text) } });
	};
	const bounds = Object.entries(attributes);
	const setBounds = (next: readonly (readonly [string, { max_percent: number }])[]) =>
		set({ count, attributes: Object.fromEntries(next) });
	const message = errors[`${path}.tolerance`] ?? errors[`${path}.tolerance.attributes`];
	return (
		<>
			<div className="grid grid-cols-2 gap-3">
				<TextField
					{...PERCENT}
					label="Largest loss of rows, in %"
					value={count.max_loss_percent ?? ""}
					error={errors[`${path}.tolerance.count.max_loss_percent`]}
					onChange={({ target }) => setCount("max_loss_percent", target.value)}
				/>
				<TextField
					{...PERCENT}
					label="Largest gain of rows, in %"
					value={count.max_gain_percent ?? ""}
					error={errors[`${path}.tolerance.count.max_gain_percent`]}
					onChange={({ target }) => setCount("max_gain_percent", target.value)}
				/>
			</div>
			<TextField
				label="Group by the fields"
				mono
				placeholder="fvCEp.epgDn"
				hint="Comma-separated. Empty: all rows together."
				value={item.group_by?.join(", ") ?? ""}
				error={item.group_by?.map((_, at) => errors[`${path}.group_by.${at}`]).find(Boolean)}
				onChange={({ target }) =>
					onChange({ ...item, group_by: target.value === "" ? [] : target.value.split(",").map((name) => name.trim()) })
				}
			/>
			{bounds.map(([name, { max_percent }], at) => (
				<div
					// biome-ignore lint/suspicious/noArrayIndexKey: a bound is its place: its name is edited
					key={at}
					className="flex flex-wrap items-end gap-1.5"
				>
					<TextField
						label="Attribute"
						mono
						className="min-w-40 flex-2"
						placeholder="bgpPeerEntry.acceptedPaths"
						value={name}
						onChange={({ target }) =>
							setBounds(bounds.map((one, index) => (index === at ? [target.value.trim(), one[1]] : one)))
						}
					/>
					<TextField
						{...PERCENT}
						label="Differs by at most, in %"
						className="min-w-32 flex-1"
						value={max_percent}
						error={errors[`${path}.tolerance.attributes.${name}.max_percent`]}
						onChange={({ target }) =>
							setBounds(
								bounds.map((one, index) => (index === at ? [name, { max_percent: Number(target.value) }] : one)),
							)
						}
					/>
					<IconButton
						variant="ghost"
						icon={Trash2}
						label={`Remove the bound of ${name || `attribute ${at + 1}`}`}
						onClick={() => setBounds(bounds.filter((_, index) => index !== at))}
					/>
				</div>
			))}
			{message && <GroupMessage text={message} />}
			<div>
				<Button
					icon={Plus}
					disabled={Object.hasOwn(attributes, "")}
					onClick={() => setBounds([...bounds, ["", { max_percent: 10 }]])}
				>
					Bound an attribute
				</Button>
			</div>
		</>
	);
}
