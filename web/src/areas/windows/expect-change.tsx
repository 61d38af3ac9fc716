/** The dialog that adds one expected change to a change window. */
import type { ChangeWindow, Expectation } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { useDraftState } from "../../platform/draft-state.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ChangeFields } from "./changes-field.tsx";
import { NEW_CHANGE, writeChange } from "./edited-change.ts";

interface ExpectChangeProps {
	readonly window: ChangeWindow;
	readonly known: readonly Expectation[];
	onClose(): void;
}

export const ExpectChangeDialog = (props: ExpectChangeProps) => (
	<Drafted form="change-window-expect" id={props.window.id}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ window, known, onClose }: ExpectChangeProps) {
	const [change, setChange] = useDraftState("change", NEW_CHANGE);
	const save = useAction(
		(form: FormData) =>
			callRoute(changeWindowRoutes.replaceExpectations, {
				params: { id: window.id },
				body: { expectations: [...known, { ...writeChange(change), ...readBounds(form) }] as Expectation[] },
			}),
		{ stale: ["change_windows"], onSuccess: onClose },
	);
	const path = `expectations.${known.length}`;
	return (
		<FormDialog
			title="Expect a change"
			description="A difference that it describes counts as expected; if it does not happen, the window fails."
			action="Add"
			save={save}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<ChangeFields change={change} errors={errors} path={path} onChange={setChange} />
					<details>
						<summary className="cursor-pointer font-medium">Scope, count and note</summary>
						<div className="mt-3 flex flex-col gap-3.5">
							<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
								<SelectField
									label="Fabric"
									name="connection"
									options={[
										{ value: "", label: "All fabrics" },
										...window.connections.map(({ connection_id, name }) => ({ value: connection_id, label: name })),
									]}
									error={errors[`${path}.connection_ids`]}
								/>
								<SelectField
									label="Query"
									name="item"
									options={[
										{ value: "", label: "Any query" },
										...window.plan_items.flatMap(({ query, name }, at) =>
											query === undefined ? [] : [{ value: String(at), label: String(name ?? "Hidden") }],
										),
									]}
									error={errors[`${path}.item`]}
								/>
								<TextField
									label="At least"
									name="min"
									type="number"
									min={0}
									hint="Differences on each fabric."
									placeholder="1"
									error={errors[`${path}.count.min`]}
								/>
								<TextField
									label="At most"
									name="max"
									type="number"
									min={0}
									hint="Empty: any number."
									error={errors[`${path}.count.max`]}
								/>
							</div>
							<TextField label="Note" name="note" maxLength={500} error={errors[`${path}.note`]} />
						</div>
					</details>
				</>
			)}
		</FormDialog>
	);
}

function readBounds(form: FormData) {
	const text = (name: string) => String(form.get(name) ?? "").trim();
	const [min, max, item, connection] = ["min", "max", "item", "connection"].map(text);
	return {
		item: item ? Number(item) : null,
		connection_ids: connection ? [connection] : null,
		count: min || max ? { min: min ? Number(min) : 1, max: max ? Number(max) : null } : null,
		note: text("note"),
	};
}
