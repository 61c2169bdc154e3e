"""What a Checkout Session is made of: lines, totals, what it collects, and how it completes.

    parameters   what a client asked for, in the object's shape
    lines        line items, their prices and quantities
    totals       amounts of lines, discounts, shipping and taxes
    promotion    promotion codes a customer enters
    shipping     shipping rates and addresses
    completion   the payment, the subscription or the set-up behind a finished session

Source: https://docs.stripe.com/payments/checkout
"""
