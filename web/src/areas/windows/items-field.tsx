/** The items of a change plan: queries that are compared, and checks that must hold. */
import { COMPARE_MODES, checkRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import { Trash2 } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { IconButton } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import type { DraftItem } from "./draft-item.ts";
import { ItemDetails } from "./item-details.tsx";
import { ToleranceFields } from "./tolerance-fields.tsx";
import { COMPARE_WORDS } from "./words.ts";

interface ItemsFieldProps {
	readonly items: readonly DraftItem[];
	readonly errors: Readonly<Record<string, string | undefined>>;
	onChange(items: readonly DraftItem[]): void;
}

const LIST = { query: { page_size: "200", ordering: "name" } };

export function ItemsField({ items, errors, onChange }: ItemsFieldProps) {
	const queries = useAnswer(savedQueryRoutes.list, LIST, { staleTime: 60_000 });
	const checks = useAnswer(checkRoutes.list, LIST, { staleTime: 60_000 });
	const change = (at: number, next: DraftItem) => onChange(items.map((item, index) => (index === at ? next : item)));
	const add = (value: string) => {
		const [kind, id = ""] = value.split(" ");
		const found = (kind === "query" ? queries : checks).data?.results.find((one) => one.id === id);
		const name = found?.name ?? "";
		if (kind === "query") onChange([...items, { query: id, name, compare: "exact" }]);
		if (kind === "check") onChange([...items, { check: id, name, when: ["before", "after"] }]);
	};
	const problem = queries.error ?? checks.error;
	const isFree = ({ id }: { id: string }) => !items.some((item) => item.query === id || item.check === id);
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Items</legend>
			{items.length > 0 && (
				<ol className="m-0 flex list-none flex-col gap-2 p-0">
					{items.map((item, at) => (
						<li
							key={item.query ?? item.check}
							className="flex min-w-0 flex-col gap-2 rounded-card border border-line p-2.5"
						>
							<div className="flex min-w-0 items-center gap-2">
								<span className="min-w-0 flex-1 truncate font-medium">{item.name ?? "Hidden"}</span>
								<span className="text-muted text-xs">{item.query === undefined ? "check" : "query"}</span>
								<IconButton
									variant="ghost"
									icon={Trash2}
									label={`Remove ${item.name ?? "the item"}`}
									onClick={() => onChange(items.filter((_, index) => index !== at))}
								/>
							</div>
							{item.query === undefined ? (
								<WhenField item={item} onChange={(next) => change(at, next)} />
							) : (
								<CompareFields item={item} errors={errors} at={at} onChange={(next) => change(at, next)} />
							)}
							{(errors[`items.${at}.query`] ?? errors[`items.${at}.check`] ?? errors[`items.${at}`]) && (
								<p className="m-0 text-bad text-xs">
									{errors[`items.${at}.query`] ?? errors[`items.${at}.check`] ?? errors[`items.${at}`]}
								</p>
							)}
						</li>
					))}
				</ol>
			)}
			<SelectField
				label="Add a query or a check"
				value=""
				options={[
					{ value: "", label: "Choose one …" },
					...(queries.data?.results ?? [])
						.filter(isFree)
						.map(({ id, name }) => ({ value: `query ${id}`, label: name })),
					...(checks.data?.results ?? [])
						.filter(isFree)
						.map(({ id, name }) => ({ value: `check ${id}`, label: `Check: ${name}` })),
				]}
				error={errors.items ?? (problem === null ? undefined : findProblem(problem).detail)}
				hint="Snapshots of a query must be on."
				onChange={({ target }) => add(target.value)}
			/>
		</fieldset>
	);
}

interface ItemProps {
	readonly item: DraftItem;
	onChange(item: DraftItem): void;
}

const WHEN = [
	{ value: "before,after", label: "Before and after" },
	{ value: "before", label: "Before the work only" },
	{ value: "after", label: "After the work only" },
];

function WhenField({ item, onChange }: ItemProps) {
	return (
		<SelectField
			label="Evaluated"
			value={(item.when ?? []).join(",")}
			options={WHEN}
			onChange={({ target }) => onChange({ ...item, when: target.value.split(",") as ("before" | "after")[] })}
		/>
	);
}

interface CompareProps extends ItemProps {
	readonly at: number;
	readonly errors: ItemsFieldProps["errors"];
}

function CompareFields({ item, at, errors, onChange }: CompareProps) {
	const path = `items.${at}`;
	return (
		<>
			<SelectField
				label="Compared"
				value={item.compare ?? "exact"}
				options={COMPARE_MODES.map((value) => ({ value, label: COMPARE_WORDS[value] }))}
				onChange={({ target }) => {
					const compare = target.value as NonNullable<DraftItem["compare"]>;
					const isTolerant = compare === "tolerance";
					onChange({
						...item,
						compare,
						tolerance: isTolerant ? { count: { max_loss_percent: 0, max_gain_percent: 0 }, attributes: {} } : null,
						group_by: isTolerant ? (item.group_by ?? []) : [],
					});
				}}
			/>
			{item.compare === "tolerance" && <ToleranceFields {...{ item, errors, path, onChange }} />}
			<ItemDetails {...{ item, errors, path, onChange }} />
		</>
	);
}
