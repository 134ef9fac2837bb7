// The schema of a type, as a table for reading and as JSON.
import { useId, useMemo } from 'preact/hooks';
import type { ResourceDefinition } from '../../../api/shapes.ts';
import { Block } from '../../components/block.tsx';
import { type SchemaRow, schemaRowsOf } from './schema-rows.ts';
import { text } from './text.ts';

const maxLength = 200_000;

export function SchemaTab({ type: { schema, updated_at } }: { readonly type: ResourceDefinition }) {
  const id = useId();
  const made = useMemo(
    () =>
      schema === null
        ? undefined
        : { ...schemaRowsOf(schema), json: JSON.stringify(schema, null, 2) },
    [updated_at],
  );
  if (made === undefined) return <p class="empty">{text('types.no-schema')}</p>;
  const { rows, isCut, json } = made;
  return (
    <>
      <section aria-labelledby={id}>
        <h2 id={id}>{text('types.fields')}</h2>
        {rows.length === 0 ? (
          <p class="empty">{text('types.no-fields')}</p>
        ) : (
          <table class="schema">
            <thead>
              <tr>
                <th scope="col">{text('types.field')}</th>
                <th scope="col">{text('types.value')}</th>
                <th scope="col">{text('types.description')}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.path} row={row} />
              ))}
            </tbody>
          </table>
        )}
        {isCut && <p>{text('types.schema-cut')}</p>}
      </section>
      <section>
        <h2>{text('types.json-schema')}</h2>
        <Block
          value={json.length > maxLength ? `${json.slice(0, maxLength)}\n…` : json}
          label={text('types.json-schema')}
          copy={text('types.copy-json')}
        />
      </section>
    </>
  );
}

const longDescription = 400;

function Row({ row }: { readonly row: SchemaRow }) {
  const { path, type, isRequired, isSecret, description, constraints, initial } = row;
  return (
    <tr>
      <th scope="row">
        <code>{path}</code>
      </th>
      <td>
        {type}
        {isRequired && <div class="quiet">{text('types.required')}</div>}
        {isSecret && <div class="quiet">{text('types.sensitive')}</div>}
      </td>
      <td>
        {description.length > longDescription ? (
          <details>
            <summary>{description.slice(0, longDescription)} …</summary>
            <p class="pre">{description}</p>
          </details>
        ) : (
          <p class="pre">{description}</p>
        )}
        {initial !== undefined && (
          <p>
            {text('types.default')} <code>{initial}</code>
          </p>
        )}
        {constraints.length > 0 && (
          <ul>
            {constraints.map((each) => (
              <li key={each}>
                <code>{each}</code>
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
