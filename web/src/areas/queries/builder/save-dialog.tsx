/** What a query is called, where it belongs, who sees it; and what saving does to its version. */
import type { SavedQuery, VersionAnswer } from "@weft/contracts";
import { queryCategoryRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import { type FormEvent, useRef, useState } from "react";
import { callRoute, invalidateAreas, useAnswer } from "../../../platform/call.ts";
import type { SaveGuard } from "../../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useMay } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../../ui/field.tsx";
import { CancelButton, Drafted, Form } from "../../../ui/form.tsx";
import { Banner, ProblemBanner } from "../../../ui/page.tsx";
import { SaveProblem } from "../../../ui/save-problem.tsx";
import { GroupField, readGroup } from "../../fabrics/groups/group-field.tsx";
import { DriftFields, readDriftRules } from "./drift-fields.tsx";
import type { getContent } from "./model/canvas.ts";

interface SaveDialogProps {
	/** Null: it is saved for the first time. */
	readonly saved: SavedQuery | null;
	/** Compares with the version that the canvas began with. */
	readonly guard: SaveGuard<SavedQuery>;
	/** The query that it saves. */
	readonly content: ReturnType<typeof getContent>;
	readonly coming: VersionAnswer | undefined;
	onSaved(query: SavedQuery): void;
	onClose(): void;
}

/** In place of an id. */
const NEW_CATEGORY = "new";

export const SaveDialog = (props: SaveDialogProps) => (
	<Drafted form="query" id={props.saved?.id}>
		<Fields {...props} />
	</Drafted>
);

/** Saves what the form holds. A new category is created before the query. */
function useSaving({ saved, guard, content, onSaved, onClose }: SaveDialogProps) {
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const [category, setCategory] = useDraftState("category", String(saved?.category ?? ""));
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const [categoryError, setCategoryError] = useState<unknown>(null);
	const fields = error === null ? {} : findProblem(error).fields;
	const newCategory = categoryError === null ? {} : findProblem(categoryError).fields;
	/** Makes the category that the form names. Null: none. Undefined: it was refused. */
	const getCategory = async (form: FormData): Promise<number | null | undefined> => {
		if (category !== NEW_CATEGORY) return category === "" ? null : Number(category);
		try {
			const { id } = await callRoute(queryCategoryRoutes.create, { body: { name: String(form.get("new_category")) } });
			await invalidateAreas("query_categories");
			// Should the query be refused, the category is there already.
			setCategory(String(id));
			return id;
		} catch (failure) {
			setCategoryError(failure);
			return undefined;
		}
	};
	const save = async (event?: FormEvent) => {
		event?.preventDefault();
		if (!form.current?.reportValidity()) return;
		setBusy(true);
		setError(null);
		setCategoryError(null);
		const given = new FormData(form.current);
		try {
			const chosen = await getCategory(given);
			if (chosen === undefined) return;
			const body = { ...readForm(given), category: chosen, ...content };
			if (saved !== null) await guard.assertUnchanged(body);
			const query = saved
				? await callRoute(savedQueryRoutes.update, { params: { id: saved.id }, body })
				: await callRoute(savedQueryRoutes.create, { body });
			void invalidateAreas("saved_queries", "query_categories");
			draft?.drop();
			onSaved(query);
			onClose();
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	return { form, busy, error, fields, category, setCategory, categoryError, newCategory, save };
}

function Fields(props: SaveDialogProps) {
	const { saved, coming, onClose } = props;
	const saving = useSaving(props);
	const { form, busy, error, fields, categoryError, newCategory, save } = saving;
	return (
		<Dialog
			open
			title={saved ? "Save the query" : "Save as a new query"}
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={busy} onClick={() => void save()}>
						Save
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-3.5" onSubmit={save}>
				{error !== null && fields.name === undefined && <SaveProblem error={error} onSaveMine={() => void save()} />}
				{categoryError !== null && newCategory.name === undefined && <ProblemBanner error={categoryError} />}
				{saved && <Coming saved={saved} coming={coming} />}
				<NameFields saved={saved} saving={saving} />
				<CheckField
					label="Save a snapshot of every run"
					hint="Of runs that are started from the saved query, and of scheduled ones."
					name="time_machine"
					defaultChecked={saved?.enable_time_machine ?? true}
				/>
				<CheckField label="Shared" name="public" defaultChecked={saved?.is_public ?? false} />
				<CheckField
					label="A template for others to begin with"
					name="template"
					defaultChecked={saved?.is_template ?? false}
				/>
				<GroupField
					label="Runs on the group"
					hint="Offered for a run on several fabrics; the command line uses it."
					group={saved?.connection_group ?? null}
					error={fields.connection_group}
				/>
				<DriftFields rules={saved?.drift_rules} errors={fields} />
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}

interface NameFieldsProps {
	readonly saved: SavedQuery | null;
	readonly saving: ReturnType<typeof useSaving>;
}

/** Name, description, category and tags. */
function NameFields({ saved, saving: { fields, category, setCategory, newCategory } }: NameFieldsProps) {
	const categories = useAnswer(queryCategoryRoutes.list, { query: { page_size: "200" } });
	const mayAdd = useMay()("add_querycategory");
	return (
		<>
			<TextField
				label="Name"
				name="name"
				defaultValue={saved?.name}
				required
				maxLength={200}
				autoComplete="off"
				data-autofocus
				error={fields.name}
			/>
			<AreaField
				label="Description"
				name="description"
				defaultValue={saved?.description}
				rows={2}
				error={fields.description}
			/>
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<SelectField
					label="Category"
					value={category}
					options={[
						{ value: "", label: "(none)" },
						...(categories.data?.results.map(({ id, name }) => ({ value: String(id), label: name })) ?? []),
						...(mayAdd ? [{ value: NEW_CATEGORY, label: "New category…" }] : []),
					]}
					error={fields.category}
					onChange={(event) => setCategory(event.target.value)}
				/>
				<TextField
					label="Tags"
					name="tags"
					hint="With commas between them."
					defaultValue={saved?.tags_list.join(", ")}
					error={fields.tags_list}
				/>
			</div>
			{category === NEW_CATEGORY && (
				<TextField
					label="Name of the new category"
					name="new_category"
					required
					maxLength={100}
					autoComplete="off"
					error={newCategory.name}
				/>
			)}
		</>
	);
}

function Coming({ saved, coming }: { saved: SavedQuery; coming: VersionAnswer | undefined }) {
	if (coming === undefined || coming.level === "none") {
		return (
			<Banner tone="info" title={`It stays ${saved.version_string}.`} detail="What the query means has not changed." />
		);
	}
	return (
		<Banner
			tone="info"
			title={`${saved.version_string} becomes ${coming.version}.`}
			detail={`${coming.changes.join(". ")}.`}
		/>
	);
}

function readForm(form: FormData) {
	return {
		name: String(form.get("name")).trim(),
		description: String(form.get("description") ?? ""),
		tags_list: String(form.get("tags") ?? "")
			.split(",")
			.map((tag) => tag.trim())
			.filter((tag) => tag !== ""),
		enable_time_machine: form.get("time_machine") === "on",
		is_public: form.get("public") === "on",
		is_template: form.get("template") === "on",
		connection_group: readGroup(form),
		drift_rules: readDriftRules(form),
	};
}
