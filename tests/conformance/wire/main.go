// The wire's scenarios through the official Go SDK.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"conformance/shared"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"
)

var (
	ctx = context.Background()
	sc  = shared.Client
)

func pay(method string) *stripe.PaymentIntentCreateParams {
	params := &stripe.PaymentIntentCreateParams{
		Amount:        stripe.Int64(2000),
		Currency:      stripe.String("usd"),
		PaymentMethod: stripe.String(method),
		Confirm:       stripe.Bool(true),
		CaptureMethod: stripe.String("automatic"),
		ReturnURL:     stripe.String("https://shop.example/done"),
	}
	return params
}

var scenarios = []struct {
	name string
	run  func() error
}{
	{"create_and_retrieve", func() error {
		made, err := sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{
			Name:    stripe.String("Zoë & Co"),
			Address: &stripe.AddressParams{Line1: stripe.String("1 Mill Lane"), Country: stripe.String("GB")},
		})
		if err != nil {
			return err
		}
		read, err := sc.V1Customers.Retrieve(ctx, made.ID, nil)
		if err != nil {
			return err
		}
		return shared.Check(read.Name == "Zoë & Co" && read.Address.Line1 == "1 Mill Lane", "read %v", read)
	}},
	{"metadata_merges_and_unsets", func() error {
		made, err := sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{Metadata: map[string]string{"a": "1", "b": "2"}})
		if err != nil {
			return err
		}
		changed, err := sc.V1Customers.Update(ctx, made.ID, &stripe.CustomerUpdateParams{Metadata: map[string]string{"a": "", "c": "3"}})
		if err != nil {
			return err
		}
		return shared.Check(len(changed.Metadata) == 2 && changed.Metadata["b"] == "2" && changed.Metadata["c"] == "3", "metadata %v", changed.Metadata)
	}},
	{"pages_visit_every_object_once", func() error {
		made := map[string]bool{}
		for n := 0; n < 13; n++ {
			product, err := sc.V1Products.Create(ctx, &stripe.ProductCreateParams{Name: stripe.String(fmt.Sprintf("page %d", n))})
			if err != nil {
				return err
			}
			made[product.ID] = true
		}
		params := &stripe.ProductListParams{}
		params.Limit = stripe.Int64(5)
		seen := 0
		for product, err := range sc.V1Products.List(ctx, params).All(ctx) {
			if err != nil {
				return err
			}
			if made[product.ID] {
				seen++
				delete(made, product.ID)
			}
		}
		return shared.Check(seen == 13 && len(made) == 0, "saw %d", seen)
	}},
	{"expand_reaches_into_lists", func() error {
		params := &stripe.PriceCreateParams{
			UnitAmount:  stripe.Int64(500),
			Currency:    stripe.String("usd"),
			ProductData: &stripe.PriceCreateProductDataParams{Name: stripe.String("Mug")},
		}
		params.AddExpand("product")
		price, err := sc.V1Prices.Create(ctx, params)
		if err != nil {
			return err
		}
		wrong := &stripe.PriceRetrieveParams{}
		wrong.AddExpand("nonsense")
		_, err = sc.V1Prices.Retrieve(ctx, price.ID, wrong)
		if problem := shared.Refused(err, 400, "", "expand"); problem != nil {
			return problem
		}
		return shared.Check(price.Product.Name == "Mug", "product %v", price.Product)
	}},
	{"search_finds", func() error {
		made, err := sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{Metadata: map[string]string{"shelf": "go-7"}})
		if err != nil {
			return err
		}
		params := &stripe.CustomerSearchParams{}
		params.Query = "metadata['shelf']:'go-7'"
		found := 0
		for customer, err := range sc.V1Customers.Search(ctx, params).All(ctx) {
			if err != nil {
				return err
			}
			if customer.ID == made.ID {
				found++
			}
		}
		_, err = sc.V1Customers.Delete(ctx, made.ID, nil)
		if err != nil {
			return err
		}
		return shared.Check(found == 1, "found %d", found)
	}},
	{"unknown_parameter", func() error {
		params := &stripe.CustomerCreateParams{}
		params.AddExtra("emial", "x")
		_, err := sc.V1Customers.Create(ctx, params)
		return shared.Refused(err, 400, "parameter_unknown", "emial")
	}},
	{"missing_object", func() error {
		_, err := sc.V1Customers.Retrieve(ctx, "cus_none", nil)
		return shared.Refused(err, 404, "resource_missing", "id")
	}},
	{"bad_key", func() error {
		_, err := shared.Connect("sk_test_wrongwrongwrong", 0).V1Customers.Create(ctx, nil)
		return shared.Refused(err, 401, "", "")
	}},
	{"publishable_key_may_not", func() error {
		_, err := shared.Connect(os.Getenv("PUBLISHABLE_KEY"), 0).V1Customers.Create(ctx, nil)
		return shared.Refused(err, 403, "", "")
	}},
	{"deleted_stub", func() error {
		made, err := sc.V1Customers.Create(ctx, nil)
		if err != nil {
			return err
		}
		gone, err := sc.V1Customers.Delete(ctx, made.ID, nil)
		if err != nil {
			return err
		}
		read, err := sc.V1Customers.Retrieve(ctx, made.ID, nil)
		if err != nil {
			return err
		}
		return shared.Check(gone.Deleted && read.Deleted, "deleted %v %v", gone.Deleted, read.Deleted)
	}},
	{"idempotent_replay", func() error {
		key := fmt.Sprintf("go-%d", time.Now().UnixNano())
		params := func(name string) *stripe.CustomerCreateParams {
			p := &stripe.CustomerCreateParams{Name: stripe.String(name)}
			p.SetIdempotencyKey(key)
			return p
		}
		first, err := sc.V1Customers.Create(ctx, params("once"))
		if err != nil {
			return err
		}
		again, err := sc.V1Customers.Create(ctx, params("once"))
		if err != nil {
			return err
		}
		_, err = sc.V1Customers.Create(ctx, params("twice"))
		if problem := shared.Refused(err, 400, "", ""); problem != nil {
			return problem
		}
		return shared.Check(first.ID == again.ID && again.LastResponse.Header.Get("Idempotent-Replayed") == "true", "%s %s", first.ID, again.ID)
	}},
	{"payment_succeeds", func() error {
		params := pay("pm_card_visa")
		params.AddExpand("latest_charge.balance_transaction")
		intent, err := sc.V1PaymentIntents.Create(ctx, params)
		if err != nil {
			return err
		}
		return shared.Check(intent.Status == "succeeded" && intent.LatestCharge.BalanceTransaction.Amount == 2000, "status %s", intent.Status)
	}},
	{"card_declined", func() error {
		_, err := sc.V1PaymentIntents.Create(ctx, pay("pm_card_visa_chargeDeclinedInsufficientFunds"))
		var problem *stripe.Error
		if !errors.As(err, &problem) {
			return fmt.Errorf("not declined: %v", err)
		}
		return shared.Check(problem.HTTPStatusCode == 402 && problem.DeclineCode == "insufficient_funds" &&
			problem.PaymentIntent.Status == "requires_payment_method", "%v", problem)
	}},
	{"authentication_required", func() error {
		intent, err := sc.V1PaymentIntents.Create(ctx, pay("pm_card_threeDSecure2Required"))
		if err != nil {
			return err
		}
		return shared.Check(intent.Status == "requires_action" && intent.NextAction.Type == "redirect_to_url", "status %s", intent.Status)
	}},
	{"refund", func() error {
		intent, err := sc.V1PaymentIntents.Create(ctx, pay("pm_card_visa"))
		if err != nil {
			return err
		}
		params := func(amount int64) *stripe.RefundCreateParams {
			p := &stripe.RefundCreateParams{PaymentIntent: stripe.String(intent.ID)}
			if amount > 0 {
				p.Amount = stripe.Int64(amount)
			}
			return p
		}
		if _, err = sc.V1Refunds.Create(ctx, params(500)); err != nil {
			return err
		}
		_, err = sc.V1Refunds.Create(ctx, params(1600))
		if problem := shared.Refused(err, 400, "", "amount"); problem != nil {
			return problem
		}
		if _, err = sc.V1Refunds.Create(ctx, params(0)); err != nil {
			return err
		}
		_, err = sc.V1Refunds.Create(ctx, params(0))
		return shared.Refused(err, 400, "charge_already_refunded", "")
	}},
	{"nested_arrays", func() error {
		customer, err := sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{
			PaymentMethod:   stripe.String("pm_card_visa"),
			InvoiceSettings: &stripe.CustomerCreateInvoiceSettingsParams{DefaultPaymentMethod: stripe.String("pm_card_visa")},
		})
		if err != nil {
			return err
		}
		price, err := sc.V1Prices.Create(ctx, &stripe.PriceCreateParams{
			UnitAmount:  stripe.Int64(1000),
			Currency:    stripe.String("usd"),
			Recurring:   &stripe.PriceCreateRecurringParams{Interval: stripe.String("month")},
			ProductData: &stripe.PriceCreateProductDataParams{Name: stripe.String("Plan")},
		})
		if err != nil {
			return err
		}
		made, err := sc.V1Subscriptions.Create(ctx, &stripe.SubscriptionCreateParams{
			Customer: stripe.String(customer.ID),
			Items: []*stripe.SubscriptionCreateItemParams{{
				Price: stripe.String(price.ID), Quantity: stripe.Int64(3), Metadata: map[string]string{"seat": "a"},
			}},
		})
		if err != nil {
			return err
		}
		item := made.Items.Data[0]
		return shared.Check(made.Status == "active" && item.Quantity == 3 && item.Metadata["seat"] == "a", "status %s", made.Status)
	}},
	{"webhook_signature", func() error {
		payload, header, secret := os.Getenv("WEBHOOK_PAYLOAD"), os.Getenv("WEBHOOK_HEADER"), os.Getenv("WEBHOOK_SECRET")
		options := webhook.ConstructEventOptions{IgnoreAPIVersionMismatch: true}
		event, err := webhook.ConstructEventWithOptions([]byte(payload), header, secret, options)
		if err != nil {
			return err
		}
		_, err = webhook.ConstructEventWithOptions([]byte(payload+" "), header, secret, options)
		return shared.Check(event.Type == "customer.created" && err != nil, "type %s", event.Type)
	}},
	{"retries_through_a_lock_timeout", func() error {
		coupon, err := shared.Connect(os.Getenv("SECRET_KEY"), 2).V1Coupons.Create(ctx, &stripe.CouponCreateParams{
			PercentOff: stripe.Float64(10), Duration: stripe.String("once"),
		})
		if err != nil {
			return err
		}
		return shared.Check(coupon.PercentOff == 10, "percent %v", coupon.PercentOff)
	}},
	{"rate_limited", func() error {
		_, err := sc.V1Coupons.Retrieve(ctx, "limited", nil)
		return shared.Refused(err, 429, "", "")
	}},
}

func main() {
	var all []shared.Scenario
	for _, scenario := range scenarios {
		all = append(all, shared.Scenario{Name: scenario.name, Run: func() { shared.Fail(scenario.run()) }})
	}
	shared.Run(all)
}
