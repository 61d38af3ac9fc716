/** Number and address of a ticket. */
import { TextField } from "./field.tsx";
import type { FieldErrors } from "./form-drawer.tsx";

interface TicketFieldsProps {
	readonly ticket: { readonly number: string; readonly url: string | null } | null | undefined;
	readonly errors: FieldErrors;
}

export const TicketFields = ({ ticket, errors }: TicketFieldsProps) => (
	<div className="grid grid-cols-[12rem_1fr] gap-3 max-sm:grid-cols-1">
		<TextField
			label="Ticket"
			name="ticket"
			defaultValue={ticket?.number}
			maxLength={100}
			placeholder="CHG0031337"
			autoComplete="off"
			error={errors["ticket.number"]}
		/>
		<TextField
			label="URL"
			name="ticket_url"
			type="url"
			defaultValue={ticket?.url ?? ""}
			maxLength={2000}
			placeholder="https://"
			autoComplete="off"
			error={errors["ticket.url"]}
		/>
	</div>
);

/** Reads the ticket of a form; null without a number. An address that is absent is empty. */
export function readTicket(form: FormData): { number: string; url: string } | null {
	const text = (name: string) => String(form.get(name) ?? "").trim();
	const number = text("ticket");
	return number === "" ? null : { number, url: text("ticket_url") };
}
