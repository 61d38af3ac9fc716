/** A page with a list of small things that are made, changed in a drawer, and deleted. */
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { invalidateAreas } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { Pill } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SettingsFrame } from "./frame.tsx";
import type { Resource, Row } from "./resource.ts";
import { ResourceForm } from "./resource-form.tsx";

interface Search {
	readonly q?: string | undefined;
	readonly page?: string | undefined;
	readonly edit?: string | undefined;
}

interface ResourcePageProps<R extends Row, Form extends object, S extends Search> {
	readonly resource: Resource<R, Form>;
	readonly search: S;
	navigate(options: { search: (before: S) => S; replace: boolean }): Promise<void>;
}

const SIZE = 50;

export function ResourcePage<R extends Row, Form extends object, S extends Search>({
	resource,
	search,
	navigate,
}: ResourcePageProps<R, Form, S>) {
	const { title, noun, nouns = `${noun}s`, icon, model, about, stale, route, isSearchable = true, useList } = resource;
	const { Frame = SettingsFrame, before } = resource;
	const { q = "", page = "1", edit } = search;
	const mayDo = useMayDo(resource);
	const [removing, setRemoving] = useState<R | null>(null);
	const query = { page, page_size: String(SIZE), ...(q === "" ? {} : { search: q }) };
	const answer = useList(query);
	const set = (change: Search) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
	const create = mayDo("add");
	const found = edit === "new" ? null : answer.data?.results.find(({ id }) => String(id) === edit);
	const isOpen = edit !== undefined && found !== undefined && (found !== null || create);
	useCommands(
		create
			? [{ id: `${model}.new`, label: `New ${noun}`, group: title, keys: "c", run: () => set({ edit: "new" }) }]
			: [],
	);
	const add = create && (
		<Button variant="primary" icon={Plus} onClick={() => set({ edit: "new" })}>
			New {noun}
		</Button>
	);
	return (
		<Frame
			title={title}
			facts={answer.data && formatPlural(answer.data.count, noun, nouns)}
			actions={
				<>
					{isSearchable && (
						<SearchField
							value={q}
							label={`Filter ${nouns}`}
							onChange={(text) => set({ q: text || undefined, page: undefined })}
						/>
					)}
					<CopyAs call={() => ({ route, query })} />
					{add}
				</>
			}
		>
			{before}
			<PagedList
				answer={answer}
				lines={5}
				page={Number(page)}
				pageSize={SIZE}
				empty={
					q === "" ? (
						<Empty icon={icon} action={add}>
							{about}
						</Empty>
					) : (
						<Empty>
							No {noun} matches "{q}".
						</Empty>
					)
				}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => (
					<List
						resource={resource}
						rows={rows}
						onEdit={({ id }) => set({ edit: String(id) })}
						onRemove={(row) => setRemoving(row)}
					/>
				)}
			</PagedList>
			{isOpen && (
				<ResourceForm
					key={edit}
					resource={resource}
					row={found}
					readOnly={found !== null && !mayChange(found, mayDo("change"))}
					onClose={() => set({ edit: undefined })}
				/>
			)}
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb={`Delete the ${noun}`}
				onConfirm={async () => {
					if (removing === null) return;
					await resource.remove(removing);
					showToast(`${removing.name} is deleted`);
					await invalidateAreas(...stale);
				}}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">{removing && resource.loss(removing)}</p>
			</Confirm>
		</Frame>
	);
}

function useMayDo({ model, manage }: { readonly model: string; readonly manage?: string }) {
	const may = useMay();
	return (verb: "add" | "change" | "delete"): boolean => may(manage ?? `${verb}_${model}`);
}

const mayChange = ({ can_edit = true }: Row, permitted: boolean): boolean => permitted && can_edit;

interface ListProps<R extends Row, Form extends object> {
	readonly resource: Resource<R, Form>;
	readonly rows: readonly R[];
	onEdit(row: R): void;
	onRemove(row: R): void;
}

function List<R extends Row, Form extends object>({ resource, rows, onEdit, onRemove }: ListProps<R, Form>) {
	const mayDo = useMayDo(resource);
	const { title, columns, Verbs } = resource;
	const change = mayDo("change");
	const remove = mayDo("delete");
	const all: Column<R>[] = [
		{
			key: "name",
			head: "Name",
			className: "w-1/3",
			cell: (row) => (
				<button
					type="button"
					className="block max-w-full truncate rounded-cell font-medium hover:underline"
					title={row.name}
					onClick={() => onEdit(row)}
				>
					{row.name}
				</button>
			),
		},
		...columns,
		{
			key: "verbs",
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (row) => (
				<span className="inline-flex gap-1">
					{Verbs && <Verbs row={row} />}
					{mayChange(row, change) && (
						<IconButton variant="ghost" label={`Edit ${row.name}`} icon={Pencil} onClick={() => onEdit(row)} />
					)}
					{mayChange(row, remove) && (
						<IconButton variant="ghost" label={`Delete ${row.name}`} icon={Trash2} onClick={() => onRemove(row)} />
					)}
				</span>
			),
		},
	];
	return <Table label={title} columns={all} rows={rows} getKey={({ id }) => String(id)} />;
}

/** Columns of what has an owner and may be shared. */
export const listOwnedColumns = <
	R extends { is_public: boolean; usage_count: number; created_by: string },
>(): Column<R>[] => [
	{ key: "used", head: "Templates", align: "right", cell: ({ usage_count }) => usage_count },
	{ key: "owner", head: "Owner", cell: ({ created_by }) => created_by },
	{
		key: "shared",
		head: "Access",
		cell: ({ is_public }) => (is_public ? <Pill tone="violet">Shared</Pill> : "Private"),
	},
];

/** Of something that templates of automation refer to. */
export const listUses = ({ usage_count }: { readonly usage_count: number }): string =>
	usage_count === 0
		? "No template uses it."
		: `${formatPlural(usage_count, "template uses it", "templates use it")}: remove it there first.`;
